package servicecmd

import (
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
