package config

import (
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
