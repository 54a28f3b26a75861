package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

// With the arguments of a daemon, the test binary is a fake one that has counted four
// requests.
func TestMain(m *testing.M) {
	for _, arg := range os.Args {
		if address, ok := strings.CutPrefix(arg, "--web.listen-address="); ok {
			_ = http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "claude_requests_total 4\n")
			}))
			os.Exit(1)
		}
	}
	leaktest.Main(m)
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name, args string
		code       int
		want       string
	}{
		{"no number", "--files=x", 2, "try --help"},
		{"no directories", "--directories=5", 2, "--directories more than 5"},
		{"too few files", "--rounds=20 --files=24", 2, "--files must be at least 25"},
		{"no idle time", "--idle=0s", 2, "--idle positive"},
		{"no binary", "--files=25 --binary=/nonexistent/ccwatchd", 1, "latency: start ccwatchd: "},
		{"wrong count", "--files=25 --binary=" + os.Args[0], 1, "latency: ccwatchd is ready with 4 requests, want 25\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr)
			if code != test.code || stdout.Len() > 0 || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("got exit status %d, stdout %q, stderr %q", code, &stdout, &stderr)
			}
		})
	}
}

// The real daemon is measured, and nothing is left.
func TestMeasure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stdout bytes.Buffer
	args := []string{"--files=12", "--directories=8", "--rounds=1", "--idle=10ms", "--scan=1s"}
	if code := run(t.Context(), args, &stdout, t.Output()); code != 0 {
		t.Fatalf("got exit status %d", code)
	}
	const latencies = `( \d+\.\d\d s \|){3}\n`
	want := regexp.MustCompile(`^Measured on \S+ on \S+ with \d+ cores: 12 files in 8 directories, 1 lines of each kind, 10ms idle\.

\| without file events \| goal \| p50 \| p95 \| maximum \|
\|---\|--:\|--:\|--:\|--:\|
\| hot file \| 1s \|` + latencies + `\| new file beside a hot one \| 2s \|` + latencies + `\| any other \| 30s \|` + latencies +
		`\| CPU time while idle, of a core \| 0\.15 % \| \d+\.\d{3} % \| \| \|
\| resident memory \| \| \d+\.\d MB \| \| \|
$`)
	if !want.MatchString(stdout.String()) {
		t.Errorf("got\n%s\nwant a match of\n%v", &stdout, want)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); err != nil || len(left) > 0 {
		t.Errorf("got left files %q, %v", left, err)
	}
}

// Lines are written to files of the right kind, which are as old as they should be.
func TestTree(t *testing.T) {
	now := time.Now()
	tr := newTree(t.TempDir(), options{files: 40, directories: 16})
	if err := tr.write(now); err != nil {
		t.Fatal(err)
	}
	age := func(path string) time.Duration { // negative if it does not exist
		info, err := os.Stat(path)
		if err != nil {
			return -1
		}
		return now.Sub(info.ModTime())
	}
	for _, k := range kinds() {
		for range 10 {
			file := k.next(tr)
			a, ofDir := age(file), age(filepath.Dir(file))
			right := map[string]bool{
				"hot file":                  a >= 0 && a < hotAge,
				"new file beside a hot one": a < 0 && ofDir < hotAge,
				"any other":                 (a < 0 || a >= coldAge) && ofDir >= coldAge,
			}
			if !right[k.name] {
				t.Errorf("%s: %s is %v old, its directory %v", k.name, file, a, ofDir)
			}
		}
	}
}

func TestQuantile(t *testing.T) {
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 2, 0.75: 3, 0.95: 4, 1: 4} {
		if got := quantile([]time.Duration{1, 2, 3, 4}, share); got != want {
			t.Errorf("got %d at %v, want %d", got, share, want)
		}
	}
}
