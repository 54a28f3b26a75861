package endtoend

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Names of programs for servers/path.
const (
	Prometheus      = "prometheus" // 3.15
	Promtool        = "promtool"
	OldPrometheus   = "old/prometheus" // from Debian
	Alertmanager    = "alertmanager"
	VictoriaMetrics = "victoria-metrics"
	Mimir           = "mimir"
	Mimirtool       = "mimirtool"
)

// unavailableStatus is the exit status of servers/path for programs that this system
// cannot have.
const unavailableStatus = 3

// Program returns the path of a program, which it builds or fetches if necessary; that
// takes minutes. It skips the test if the program is unavailable on this system.
func Program(t testing.TB, name string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(Repository(t), "test", "endtoend", "servers", "path"), name) //nolint:gosec // one of the names above
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == unavailableStatus {
		t.Skipf("SKIPPED: there is no %s for this system", name)
	}
	if err != nil {
		t.Fatalf("find %s: %v\n%s", name, err, &errs)
	}
	return strings.TrimSpace(string(out))
}

// Repository returns the root directory of the repository.
func Repository(t testing.TB) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(here) {
		t.Fatal("the test binary was built with -trimpath")
	}
	return filepath.Join(filepath.Dir(here), "..", "..")
}

// Daemon builds ccwatchd, with more flags, and returns the path of the program.
func Daemon(t testing.TB, flags ...string) string {
	t.Helper()
	return filepath.Join(build(t, append(flags, "./cmd/ccwatchd")...), "ccwatchd")
}

// Demo builds the demo, with ccwatchd beside it, and returns the path of the program.
func Demo(t testing.TB) string {
	t.Helper()
	return filepath.Join(build(t, "./cmd/ccwatchd", "./cmd/ccwatchd-demo"), "ccwatchd-demo")
}

// build builds programs, with flags, and returns their directory.
func build(t testing.TB, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"build", "-o", dir + "/"}, args...)
	cmd := exec.CommandContext(t.Context(), "go", args...) //nolint:gosec // flags of the tests
	cmd.Dir = Repository(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build ccwatchd: %v\n%s", err, out)
	}
	return dir
}
