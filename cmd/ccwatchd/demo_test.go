package main

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/demo"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// startDemo starts the demo in a sandbox with a session of the user, and with a
// directory for temporary files.
func (p sandbox) startDemo(t *testing.T, temporary string, args ...string) *process {
	t.Helper()
	p.newSession(t, "private").prompts(1)
	args = append([]string{"demo", "--config.file=" + p.config, "--web.listen-address=127.0.0.1:0"}, args...)
	return p.with("TMPDIR="+temporary, "TMP="+temporary, "TEMP="+temporary).newProcess(t, args...).run().listens()
}

// entries returns the names in a directory.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name()
	}
	return names
}

// checkEmpty fails the test if files are left in the directory for temporary files.
func checkEmpty(t *testing.T, temporary string) {
	t.Helper()
	if left := entries(t, temporary); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// The demo soon exposes every documented family, for every person, and removes its
// files.
func TestDemo(t *testing.T) {
	skipOnWindows(t)
	t.Parallel()
	p, temporary := newSandbox(t), t.TempDir()
	d := p.startDemo(t, temporary, "--speed=1000", "--people=3")
	missing := matches(readPage(t, "metrics.md"), "(?m)^\\| `(claude_\\w+)` \\|")
	if len(missing) < 20 {
		t.Fatalf("got %d documented families, want more", len(missing))
	}
	delete(missing, "claude_sessions_unwritten") // 0 unless something is wrong
	d.ready()
	complete := polltest.Poll(time.Millisecond, func() bool {
		samples := parse(t, d.page("/metrics"), plainText)
		for name := range missing {
			value, _ := samples.Sum(name)
			count, _ := samples.Sum(name + "_count")
			if value+count > 0 {
				delete(missing, name)
			}
		}
		return len(missing) == 0
	})
	if !complete {
		t.Fatalf("no values of %q", slices.Sorted(maps.Keys(missing)))
	}
	tokens := d.sample("claude_tokens_total")
	polltest.Eventually(t, "more tokens are counted", func() bool { return d.sample("claude_tokens_total") > tokens })
	page := d.page("/metrics")
	users := slices.Sorted(maps.Keys(matches(page, `(?m)^claude_.*user="([^"]+)"`)))
	if got := strings.Join(users, " "); got != "alice bob carol" {
		t.Errorf("got users %s", got)
	}
	if strings.Contains(page, "private") {
		t.Error("a session of the user is exposed")
	}
	d.stop()
	checkEmpty(t, temporary)
	if got := entries(t, p.home); !slices.Equal(got, []string{".claude"}) {
		t.Errorf("got %q in the home directory", got)
	}
}

// The demo removes its files at every end.
func TestDemoRemovesFiles(t *testing.T) {
	skipOnWindows(t)
	t.Parallel()
	for name, signals := range map[string][]os.Signal{
		"interrupted":       {os.Interrupt},
		"terminal closed":   {syscall.SIGHUP},
		"interrupted twice": {os.Interrupt, os.Interrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temporary := t.TempDir()
			d := newRaceSandbox(t).startDemo(t, temporary, "--speed=200", "--people=1")
			for _, s := range signals {
				_ = d.cmd.Process.Signal(s) // the process may have ended before the second
			}
			polltest.Eventually(t, "the demo ends", d.hasEnded)
			checkEmpty(t, temporary)
		})
	}
	t.Run("address in use", func(t *testing.T) {
		t.Parallel()
		d := newRaceSandbox(t).startDemo(t, t.TempDir(), "--people=1")
		temporary := t.TempDir()
		_, stderr, code := newRaceSandbox(t).with("TMPDIR="+temporary).runProcess(t, "demo", "--people=1", "--web.listen-address="+d.address)
		if code != 1 || !strings.Contains(stderr, "use another address with --web.listen-address") {
			t.Errorf("code %d:\n%s", code, stderr)
		}
		checkEmpty(t, temporary)
	})
}

// The demo removes files after the last writer has stopped, also after a second signal.
// A third one ends the process.
func TestDemoRemovesFilesLast(t *testing.T) {
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	c := parsed(t, "demo", "--web.listen-address=127.0.0.1:0")
	stopping, release := make(chan struct{}), make(chan struct{})
	work := func(team *demo.Simulation, ctx context.Context) error {
		<-ctx.Done()
		close(stopping)
		<-release
		return os.WriteFile(filepath.Join(team.People()[0].Projects(), "late"), nil, 0o600)
	}
	exited, ended := make(chan int, 1), make(chan error, 1)
	s := newSignals(func(code int) { exited <- code })
	go func() {
		ended <- c.serveDemo(s, demo.Options{People: 1, Speed: 20}, work, io.Discard, slog.New(slog.DiscardHandler))
	}()
	s.terminate <- os.Interrupt
	<-stopping
	s.terminate <- os.Interrupt
	<-s.urgent.Done()
	s.terminate <- os.Interrupt
	if code := <-exited; code != 1 || len(s.terminate) > 0 {
		t.Errorf("exit with code %d before %d of the signals, want 1 after all", code, len(s.terminate))
	}
	if len(entries(t, temporary)) == 0 {
		t.Error("the files were removed while the team writes")
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	checkEmpty(t, temporary)
}

// The zero window is divided by the speed, but stays longer than the scrape interval
// that the introduction recommends.
func TestDemoZeroWindow(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	team, err := demo.New(demo.Options{People: 1, Speed: 1}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		speed            float64
		configured, want time.Duration
	}{
		{1, 90 * time.Second, 90 * time.Second},
		{3, 90 * time.Second, 30 * time.Second},
		{20, 90 * time.Second, 20 * time.Second},
		{20, time.Second, time.Second},
		{20, 0, 0},
	} {
		team.Speed = test.speed
		cfg := config.Settings()
		cfg.Intervals.ZeroWindow = config.Duration(test.configured)
		if readOnly(team, cfg); time.Duration(cfg.Intervals.ZeroWindow) != test.want {
			t.Errorf("speed %g: got %v, want %v", test.speed, cfg.Intervals.ZeroWindow, test.want)
		}
	}
}

func TestIntroduction(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	team, err := demo.New(demo.Options{People: 2, Speed: 2.5}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	introduce(&text, team, "http://localhost:9999")
	for _, want := range []string{
		"A simulated team of 2 works at 2.5 times real speed.", addresses("http://localhost:9999"), "\nAll files are in " + team.Dir() + " ",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
}
