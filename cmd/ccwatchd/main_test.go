package main

import (
	"flag"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

// asDaemon is the environment variable that makes the test binary run ccwatchd: tests
// run the real program, with its signals and exit codes, without another build.
const asDaemon = "CCWATCHD_TEST_IS_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		confine()
		main()
	}
	// The parallel tests mostly wait.
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	leaktest.Main(m, http.DefaultClient.CloseIdleConnections)
}
