package server

import (
	"net/http"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m, http.DefaultClient.CloseIdleConnections) }
