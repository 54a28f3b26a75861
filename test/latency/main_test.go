package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// With the arguments of a daemon, the test binary is a fake one that polls and has
// counted four requests.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "--web.listen-address=127.0.0.1:0") {
		fakeDaemon()
		os.Exit(1)
	}
	leaktest.Main(m)
}

func fakeDaemon() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	fmt.Fprintf(os.Stderr, "msg=\"Listening on\" address=%s\n", l.Addr())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "claude_requests_total 4\nccwatchd_watch_polling 1\n")
	}))
}

func TestArguments(t *testing.T) {
	for _, test := range []struct {
		name, args     string
		code           int
		stdout, stderr string
	}{
		{"help", "--help", 0, "--hot=512 --idle=5m", ""},
		{"no number", "--files=x", 2, "", "try --help"},
		{"no directory", "--directories=0", 2, "", "--files must be at least --directories"},
		{"empty directories", "--files=7 --directories=8", 2, "", "--files must be at least --directories"},
		{"nothing hot", "--hot=0", 2, "", "--hot must be 1 to 512"},
		{"too many hot", "--hot=513", 2, "", "--hot must be 1 to 512"},
		{"no rounds", "--rounds=0", 2, "", "--rounds must be at least 1"},
		{"no idle time", "--idle=0s", 2, "", "--idle must be positive"},
		{"no mode", "--modes=", 2, "", `repeated mode ""`},
		{"unknown mode", "--modes=events,pull", 2, "", `repeated mode "pull"`},
		{"repeated mode", "--modes=events,events", 2, "", `repeated mode "events"`},
		{"too few files", "--files=8 --directories=8", 2, "", "--rounds=20 needs 60 cold files, and the tree has 1: raise --files; try --help"},
		{"no binary", "--files=200 --directories=8 --binary=/nonexistent/ccwatchd", 1, "", "latency: events: start ccwatchd: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr)
			if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("got exit status %d, stdout %q, stderr %q", code, &stdout, &stderr)
			}
		})
	}
}

// A daemon that has not counted everything, or is in the wrong mode, is not measured.
func TestWrongDaemon(t *testing.T) {
	for _, test := range []struct{ name, files, want string }{
		{"wrong count", "5", "latency: events: ccwatchd is ready with 4 requests, want 5\n"},
		{"wrong mode", "4", "latency: events: ccwatchd is not in this mode: ccwatchd_watch_polling is 1\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), polltest.Timeout)
			defer stop()
			var stdout, stderr bytes.Buffer
			code := run(ctx, []string{
				"--files=" + test.files, "--directories=1", "--hot=1", "--rounds=1", "--idle=1ms", "--settle=0s", "--binary=" + os.Args[0],
			}, &stdout, &stderr)
			if code != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("got exit status %d, stdout %q, stderr %q, want %q", code, &stdout, &stderr, test.want)
			}
		})
	}
}

// The real daemon is measured in both modes, and nothing is left.
func TestMeasure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stdout bytes.Buffer
	args := []string{"--files=12", "--directories=8", "--hot=2", "--rounds=1", "--idle=10ms", "--settle=0s"}
	if code := run(t.Context(), args, &stdout, t.Output()); code != 0 {
		t.Fatalf("got exit status %d", code)
	}
	const latencies = `( \d[\d.]* m?s /){3} \d[\d.]* m?s \|`
	want := regexp.MustCompile(`^Measured on \S+ on \S+ with \d+ cores: 12 files in 8 directories, 2 hot files; 1 line of each kind, 10ms idle\.

\| minimum / median / p95 / maximum \| events \| polling \|
\|---\|--:\|--:\|
(\| (hot file|new file|new file in any project|new file in a new project|resumed cold file|cold file|any cold file) \|(` + latencies + `){2}
){7}\| CPU time while idle, of a core \| \d+\.\d{3} % \| \d+\.\d{3} % \|
\| resident memory \| \d+\.\d MB \| \d+\.\d MB \|
$`)
	if !want.MatchString(stdout.String()) {
		t.Errorf("got\n%s\nwant a match of\n%v", &stdout, want)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); err != nil || len(left) > 0 {
		t.Errorf("got left files %q, %v", left, err)
	}
}
