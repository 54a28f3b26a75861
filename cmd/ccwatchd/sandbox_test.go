package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// maxRuntime is the maximum runtime of a process, so that no process outlives the
// tests.
const maxRuntime = 20 * time.Minute

// A sandbox holds the directories of a daemon: its home with the sessions, its state,
// and its configuration.
type sandbox struct {
	home, state, config string
	extraEnv            []string
}

func newSandbox(t testing.TB) sandbox {
	t.Helper()
	testsize.SkipRace(t, "its processes use few goroutines, which other tests use too")
	return newRaceSandbox(t)
}

// newRaceSandbox returns a sandbox for a test that also runs with the race detector.
func newRaceSandbox(t testing.TB) sandbox {
	t.Helper()
	dir := t.TempDir()
	p := sandbox{home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state"), config: filepath.Join(dir, "ccwatchd.yml")}
	p.configure(t, "{}\n")
	makeDir(t, p.projects())
	return p
}

func (p sandbox) projects() string { return filepath.Join(p.home, ".claude", "projects") }

// configure writes the configuration. New series are exposed as 0 for a short time.
func (p sandbox) configure(t testing.TB, yaml string) {
	t.Helper()
	const short = "intervals: {zero_window: 200ms"
	switch {
	case strings.Contains(yaml, "intervals: {"):
		yaml = strings.Replace(yaml, "intervals: {", short+", ", 1)
	case yaml == "{}\n":
		yaml = short + "}\n"
	default:
		yaml += short + "}\n"
	}
	if !strings.Contains(yaml, "limits:") {
		yaml += limitsSection
	}
	writeFile(t, p.config, yaml)
}

// with returns the sandbox with additional environment variables.
func (p sandbox) with(env ...string) sandbox {
	p.extraEnv = append(p.extraEnv, env...)
	return p
}

// atNoon returns the sandbox in a time zone where it is about noon, so that a test does
// not run on two days.
func (p sandbox) atNoon() sandbox {
	return p.with(fmt.Sprintf("TZ=Etc/GMT%+d", time.Now().UTC().Hour()-12)) // west is positive
}

// getenv returns a variable of an environment with only the home and the additional
// variables of the sandbox.
func (p sandbox) getenv(name string) string {
	value := ""
	if name == "HOME" || name == "USERPROFILE" {
		value = p.home
	}
	for _, v := range p.extraEnv {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			value = text
		}
	}
	return value
}

// command returns a command that runs ccwatchd without the developer's home directory
// in its environment.
func (p sandbox) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxRuntime)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir = p.home
	cmd.Env = []string{
		asDaemon + "=1", "HOME=" + p.home, "USERPROFILE=" + p.home,
		"GORACE=atexit_sleep_ms=0", // the race detector would delay every exit by a second
	}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP", "TMP", "GODEBUG"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Env = append(cmd.Env, p.extraEnv...)
	return cmd
}

// run runs a command that is not a daemon in the home directory. It runs within the
// test process unless a time zone is set: a separate process takes ten times as long.
func (p sandbox) run(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if p.getenv("TZ") != "" {
		return p.runProcess(t, args...)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(p.home); err != nil { //nolint:usetesting // only for the command
		t.Fatal(err)
	}
	defer func() {
		if err := os.Chdir(dir); err != nil { //nolint:usetesting // see above
			t.Fatal(err)
		}
	}()
	var out, errs bytes.Buffer
	code = run(args, p.with("GOGC=100").getenv, &out, &errs) // GOGC prevents tuneGC
	return out.String(), errs.String(), code
}

// runProcess runs ccwatchd as a process, to its end.
func (p sandbox) runProcess(t testing.TB, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := p.command(t, args...)
	end := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	defer end.Stop()
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
