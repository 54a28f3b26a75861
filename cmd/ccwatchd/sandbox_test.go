package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// maxRuntime is the limit for the life of a process, so that none outlives the tests.
const maxRuntime = 20 * time.Minute

// A sandbox holds the directories of a daemon: its home with the sessions, its state,
// and its configuration.
type sandbox struct {
	home, state, config string
	extraEnv            []string
}

func newSandbox(t testing.TB) sandbox {
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

// getenv returns a variable of an environment with only the home of the sandbox.
func (p sandbox) getenv(name string) string {
	if name == "HOME" || name == "USERPROFILE" {
		return p.home
	}
	return ""
}

// command returns a command that runs ccwatchd with an environment without the home of
// the developer.
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

// run runs ccwatchd to its end.
func (p sandbox) run(t testing.TB, args ...string) (stdout, stderr string, code int) {
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
