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

// The names of programs, as servers/path has them.
const (
	Prometheus      = "prometheus" // 3.15
	Promtool        = "promtool"
	OldPrometheus   = "old/prometheus" // that of Debian
	Alertmanager    = "alertmanager"
	VictoriaMetrics = "victoria-metrics"
)

// notHere is the exit status of servers/path for what this system does not have.
const notHere = 3

// Program returns the path of a program. The first time that it is asked for on
// a machine this takes minutes. A test that needs one that cannot be had on this
// system is skipped.
func Program(t testing.TB, name string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(Repository(t), "internal", "endtoend", "servers", "path"), name) //nolint:gosec // names are those above
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == notHere {
		t.Skipf("SKIPPED: there is no %s for this system", name)
	}
	if err != nil {
		t.Fatalf("find %s: %v\n%s", name, err, &errs)
	}
	return strings.TrimSpace(string(out))
}

// Repository returns the directory of the repository.
func Repository(t testing.TB) string {
	t.Helper()
	_, here, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(here) {
		t.Fatal("the test was built without the paths of its files")
	}
	return filepath.Join(filepath.Dir(here), "..", "..")
}

// Daemon builds ccwatchd and returns the path of the program.
func Daemon(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ccwatchd")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/ccwatchd") //nolint:gosec // a path of the test
	cmd.Dir = Repository(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build ccwatchd: %v\n%s", err, out)
	}
	return path
}
