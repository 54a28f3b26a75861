package main

import (
	"os"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

// asDaemon is the environment variable that makes the test binary be ccwatchd.
// So the tests run the real thing, with its signals and its exit codes, and
// need no build.
const asDaemon = "CCWATCHD_TEST_IS_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		confine()
		main()
	}
	leaktest.Main(m)
}
