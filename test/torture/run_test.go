package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
)

// With the arguments of a daemon, the test binary is a fake one: ready at once, without
// having read anything.
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
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tokens+"1\n") }))
}

func options(t *testing.T, d time.Duration) Options {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for the user of the daemon
		t.Fatal(err)
	}
	return Options{Seed: 1, Duration: d, Rate: 1000, Kills: 90, Dir: dir, Progress: t.Output()}
}

func TestRun(t *testing.T) {
	s, err := Run(t.Context(), options(t, 2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%v", s)
	if s.Failure != nil {
		t.Error(s.Failure)
	}
	if text := s.String(); !strings.Contains(text, "Nothing was lost") || strings.Contains(text, "\nscrapes                         0") {
		t.Error("the summary lacks the result or the scrapes")
	}
}

// A daemon that is ready before it has read all files fails.
func TestReadyTooEarly(t *testing.T) {
	o := options(t, time.Hour)
	o.Binary = os.Args[0]
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := "FAILED with seed 1: the daemon was ready before it had read everything: want "; !strings.Contains(s.String(), want) {
		t.Errorf("got\n%v\nwant %s", s, want)
	}
}

// An interrupted run removes its files.
func TestInterrupted(t *testing.T) {
	o := options(t, time.Hour)
	o.Binary, o.Dir = os.Args[0], ""
	t.Setenv("TMPDIR", t.TempDir())
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stop(enough)
	if s, err := Run(ctx, o); s != nil || !errors.Is(err, enough) {
		t.Errorf("got %v, %v", s, err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v", left, err)
	}
}

func TestDirNotEmpty(t *testing.T) {
	o := options(t, time.Hour)
	filetest.Write(t, o.Dir+"/mine", "")
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the directory is not empty") {
		t.Errorf("got %v", err)
	}
}
