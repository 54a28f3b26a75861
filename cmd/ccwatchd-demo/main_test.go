package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/demo"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// TestMain builds ccwatchd beside the test program.
func TestMain(m *testing.M) {
	days = 3
	self, err := os.Executable()
	if err == nil {
		err = gobuild.Build(context.Background(), gobuild.Ccwatchd, filepath.Join(filepath.Dir(self), "ccwatchd"))
	}
	if err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A running demo has a directory for temporary files, and a home with a session of the
// user.
type running struct {
	t               *testing.T
	temporary, home string
	address         string
	out             polltest.Buffer
	code            chan int
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself a signal")
	}
	d := &running{t: t, temporary: t.TempDir(), home: t.TempDir(), address: freeAddress(t), code: make(chan int, 1)}
	t.Setenv("TMPDIR", d.temporary)
	t.Setenv("HOME", d.home)
	private := filepath.Join(d.home, ".claude", "projects", "private")
	if err := os.MkdirAll(private, 0o700); err != nil {
		t.Fatal(err)
	}
	line := `{"type":"user","uuid":"1","sessionId":"s","cwd":"/private","timestamp":"2026-11-05T09:00:00Z","message":{"role":"user","content":"x"}}` + "\n"
	filetest.Write(t, filepath.Join(private, "s.jsonl"), line)
	go func() { d.code <- run(append([]string{"--web.listen-address=" + d.address}, args...), &d.out, &d.out) }()
	return d
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // without connections
	return l.Addr().String()
}

// page returns a page of the daemon, or "" if the daemon is not ready.
func (d *running) page(path string) string {
	d.t.Helper()
	select {
	case code := <-d.code:
		d.t.Fatalf("the demo ended with code %d:\n%s", code, d.out.String())
	default:
	}
	response, err := http.Get("http://" + d.address + path)
	if err != nil {
		return ""
	}
	defer response.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return ""
	}
	return string(b)
}

// scrape returns the samples of the daemon, or nil if the daemon is not ready.
func (d *running) scrape() exposition.Samples {
	d.t.Helper()
	samples, err := exposition.Parse(strings.NewReader(d.page("/metrics")), exposition.Text)
	if err != nil {
		d.t.Fatal(err)
	}
	return samples
}

// sum returns the sum of a family, or the count of a histogram.
func sum(samples exposition.Samples, name string) float64 {
	value, _ := samples.Sum(name)
	count, _ := samples.Sum(name + "_count")
	return value + count
}

// stop stops the demo by a signal, and checks that it has removed its files.
func (d *running) stop(s syscall.Signal) {
	d.t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	if code := <-d.code; code != 0 {
		d.t.Errorf("code %d:\n%s", code, d.out.String())
	}
	d.checkEmpty()
}

func (d *running) checkEmpty() {
	d.t.Helper()
	for dir, want := range map[string][]string{d.temporary: nil, d.home: {".claude"}} {
		if got := filetest.Names(d.t, dir); !slices.Equal(got, want) {
			d.t.Errorf("got %q in %s, want %q", got, dir, want)
		}
	}
}

// The demo soon exposes every documented family, for every person.
func TestDemo(t *testing.T) {
	d := start(t, "--speed=1000", "--people=3", "--", "--log.level=warn")
	missing := families(t)
	delete(missing, "claude_sessions_unwritten") // 0 unless something is wrong
	complete := polltest.Poll(time.Millisecond, func() bool {
		samples := d.scrape()
		maps.DeleteFunc(missing, func(name string, _ bool) bool { return sum(samples, name) > 0 })
		return len(missing) == 0
	})
	if !complete {
		t.Fatalf("no values of %q", slices.Sorted(maps.Keys(missing)))
	}
	tokens := sum(d.scrape(), "claude_tokens_total")
	polltest.Eventually(t, "more tokens are counted", func() bool { return sum(d.scrape(), "claude_tokens_total") > tokens })
	page, users := d.page("/metrics"), make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^claude_.*user="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		users[m[1]] = true
	}
	if got := slices.Sorted(maps.Keys(users)); !slices.Equal(got, []string{"alice", "bob", "carol"}) {
		t.Errorf("got users %q", got)
	}
	if strings.Contains(page, "private") {
		t.Error("a session of the user is exposed")
	}
	d.stop(syscall.SIGINT)
	if log := d.out.String(); strings.Contains(log, "level=") {
		t.Errorf("the daemon has logged:\n%s", log)
	}
}

// families returns the documented families of counters and gauges of sessions.
func families(t *testing.T) map[string]bool {
	t.Helper()
	b := filetest.Read(t, filepath.Join("..", "..", "docs", "metrics.md"))
	all := make(map[string]bool)
	for _, m := range regexp.MustCompile("(?m)^\\| `(claude_\\w+)(?:{[^`]*})?` \\|").FindAllStringSubmatch(b, -1) {
		all[m[1]] = true
	}
	if len(all) < 20 {
		t.Fatalf("got %d documented families, want more", len(all))
	}
	return all
}

// The demo removes its files at every end.
func TestDemoRemovesFiles(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			d := start(t, "--people=1")
			polltest.Eventually(t, "the daemon is ready", func() bool { return d.page("/-/ready") != "" })
			d.stop(s)
		})
	}
	t.Run("address in use", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // without connections
		d := start(t, "--people=1", "--", "--web.listen-address="+l.Addr().String())
		if code := <-d.code; code != 1 || !strings.Contains(d.out.String(), "use another address with --web.listen-address") {
			t.Errorf("code %d:\n%s", code, d.out.String())
		}
		d.checkEmpty()
	})
}

func TestInvalidArguments(t *testing.T) {
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"--help":               {0, "a simulated team"},
		"--speed=fast":         {2, `"fast"`},
		"--people=0":           {1, "the number of people must be from 1 to 100, not 0"},
		"--people=1 -- --none": {2, "--none"},
	} {
		var out strings.Builder
		if code := run(strings.Fields(args), &out, &out); code != want.code || !strings.Contains(out.String(), want.text) {
			t.Errorf("%s: code %d:\n%s", args, code, out.String())
		}
	}
}

// Timeouts are divided by the speed, but the zero window is not so short that ccwatchd
// warns about it.
func TestZeroWindow(t *testing.T) {
	for speed, want := range map[float64]string{0.1: "1m30s", 1: "1m30s", 1.2: "1m15s", 20: "1m]"} {
		text := fmt.Sprint(configuration(&demo.Simulation{Team: new(demo.Team), Speed: speed}))
		if !strings.Contains(text, "zero_window:"+want) {
			t.Errorf("speed %g: got %s, want %s", speed, text, want)
		}
	}
}
