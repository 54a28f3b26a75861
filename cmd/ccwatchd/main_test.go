package main

import (
	"flag"
	"net/http"
	"os"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/leaktest"
)

// asDaemon is the environment variable that makes the test binary run ccwatchd, so that
// the tests run the real program, with its signals and exit codes, without a build.
const asDaemon = "CCWATCHD_TEST_IS_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		confine()
		main()
	}
	if err := flag.Set("test.parallel", "8"); err != nil { // the parallel ones mostly wait
		panic(err)
	}
	leaktest.Main(m, http.DefaultClient.CloseIdleConnections)
}
