package main

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/demo"
)

// visit starts the demo in a place where there is a session of the user's own, with
// a directory for temporary files.
func (p place) visit(t *testing.T, temporary string, args ...string) *process {
	t.Helper()
	p.more = append(p.more, "TMPDIR="+temporary, "TMP="+temporary, "TEMP="+temporary)
	s := script{cwd: "/home/dev/private", session: "own", at: time.Now()}
	writeFile(t, filepath.Join(p.projects(), "-home-dev-private", "own.jsonl"), s.prompt("hello"))
	args = append([]string{"demo", "--config.file=" + p.config, "--web.listen-address=127.0.0.1:0"}, args...)
	return p.begin(t, args...).listens()
}

// entries are the names in a directory.
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

// Whoever tries the demo soon sees every family that is documented, of everybody,
// and afterwards nothing is left of it.
func TestDemo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	p, temporary := newPlace(t), t.TempDir()
	d := p.visit(t, temporary, "--speed=200", "--people=3")
	missing := matches(readPage(t, "metrics.md"), "(?m)^\\| `(claude_\\w+)` \\|")
	if len(missing) < 20 {
		t.Fatalf("%d families are documented, want more", len(missing))
	}
	d.ready()
	eventually(t, "every family shows something", func() bool {
		for name := range missing {
			value, _ := d.sum(name)
			count, _ := d.sum(name + "_count")
			if value+count > 0 {
				delete(missing, name)
			}
		}
		return len(missing) == 0
	})
	tokens := d.sample("claude_tokens_total")
	eventually(t, "more is counted", func() bool { return d.sample("claude_tokens_total") > tokens })
	_, shown, err := d.get("/metrics", plainText)
	if err != nil {
		t.Fatal(err)
	}
	users := slices.Sorted(maps.Keys(matches(shown, `(?m)^claude_.*user="([^"]+)"`)))
	if got := strings.Join(users, " "); got != "alice bob carol" {
		t.Errorf("there is something of %s", got)
	}
	if strings.Contains(shown, "private") {
		t.Error("it shows what the user has done")
	}
	d.stop()
	if left := entries(t, temporary); len(left) > 0 {
		t.Errorf("there is left %v", left)
	}
	if got := strings.Join(entries(t, p.home), " "); got != ".claude" {
		t.Errorf("there is at home %s", got)
	}
}

// However it ends, it tidies up.
func TestDemoTidiesUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	for name, signals := range map[string][]os.Signal{
		"interrupted":        {os.Interrupt},
		"terminal closed":    {syscall.SIGHUP},
		"interrupted, twice": {os.Interrupt, os.Interrupt},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := t.TempDir()
			d := newPlace(t).visit(t, temporary, "--speed=200")
			for _, s := range signals {
				_ = d.cmd.Process.Signal(s) // it may have ended by the second
			}
			eventually(t, "it ends", d.hasEnded)
			if left := entries(t, temporary); len(left) > 0 {
				t.Errorf("there is left %v", left)
			}
		})
	}
	t.Run("nowhere to listen", func(t *testing.T) {
		d := newPlace(t).visit(t, t.TempDir())
		p, temporary := newPlace(t), t.TempDir()
		_, stderr, code := p.runIn(t, []string{"TMPDIR=" + temporary}, "demo", "--web.listen-address="+d.address)
		if code != 1 || !strings.Contains(stderr, "--web.listen-address takes another address") {
			t.Errorf("code %d:\n%s", code, stderr)
		}
		if left := entries(t, temporary); len(left) > 0 {
			t.Errorf("there is left %v", left)
		}
	})
}

// Nothing is removed while something still writes, and nothing is left: not by a
// second signal either. A third one ends the process.
func TestDemoRemovesFilesLast(t *testing.T) {
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	c := newCommand(func(string) string { return "" })
	if _, err := c.app.Parse([]string{"demo", "--web.listen-address=127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("it exits with code %d and before %d of the signals", code, len(s.terminate))
	}
	if len(entries(t, temporary)) == 0 {
		t.Error("the files are removed while the team writes")
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left := entries(t, temporary); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// The demo is as much faster as the team, but a server that scrapes as the
// introduction has it sees every series begin at 0.
func TestDemoZeroWindow(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
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
		team, err := demo.New(demo.Options{People: 1, Speed: test.speed}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
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
	var said strings.Builder
	introduce(&said, team, ":9999")
	for _, want := range []string{
		`^A made-up team of 2 is at work, 2.5 times as fast as people are\.`,
		`(?m)^  http://localhost:9999/ `, `(?m)^  http://localhost:9999/metrics `,
		`(?m)^scrape_configs:$`, `(?m)^      - targets: \[localhost:9999\]$`,
		regexp.QuoteMeta("\nAll of it is in " + team.Dir() + ","),
	} {
		if !regexp.MustCompile(want).MatchString(said.String()) {
			t.Errorf("it lacks %q:\n%s", want, said.String())
		}
	}
}
