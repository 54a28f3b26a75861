package follow

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// manyBytes are several searches long.
const manyBytes = 5 * tailer.SearchLimit / 2

// A canceled read stops searching an unterminated line.
func TestCancelSearchOfUnterminatedLine(t *testing.T) {
	d := transcripttest.NewDir(t)
	d.Write("a.jsonl", strings.Repeat("x", manyBytes))
	f, roots := openedFollower(t, d.Root)
	f.atRest = true
	calls := 0
	f.alive = func() { calls++ }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := watcher.File{Rel: "a.jsonl"}
	if err := f.follow(ctx, roots, name); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if at := f.activeAt(name); at == nil || !isSearched(at, tailer.SearchLimit) || at.offset != 0 {
		t.Errorf("active file is %+v", at)
	}
	if calls != 1 {
		t.Errorf("Alive was called %d times, want once for each %d bytes", calls, tailer.SearchLimit)
	}
}

// isSearched reports whether about so many bytes of a file were searched.
func isSearched(a *activeFile, want int64) bool {
	return a.searched >= want && a.searched < want+1<<20
}

// Every walk continues to search a line that is too long, although its file is
// unchanged, and the lines after it are counted in the end.
func TestLinesAfterTooLongLine(t *testing.T) {
	const size = manyBytes
	d := transcripttest.NewDir(t)
	d.Write("a.jsonl", strings.Repeat("x", size)+"\n"+transcripttest.Replies("a", 2))
	f, roots := openedFollower(t, d.Root)
	for walk, want := range []int64{tailer.SearchLimit, 2 * tailer.SearchLimit, size + 1 + int64(len(transcripttest.Replies("a", 2)))} {
		found, errs := watcher.Walk(t.Context(), f.WatchOptions())
		if len(found) != 1 || errs != nil {
			t.Fatal(found, errs)
		}
		if f.unchanged(found[0]) {
			t.Fatalf("walk %d: the file counts as unchanged", walk)
		}
		if err := f.follow(t.Context(), roots, found[0].File); err != nil {
			t.Fatal(err)
		}
		if at := f.activeAt(found[0].File); at != nil && !isSearched(at, want) || at == nil && walk < 2 {
			t.Fatalf("walk %d: active file is %+v, want %d searched", walk, at, want)
		}
		if err := f.readUnterminated(roots, found[0].File); err != nil { // a too long line is no unterminated last line
			t.Fatal(err)
		}
	}
	f.FinalizeAll()
	whole, _ := openedFollower(t, d.Root)
	found, _ := watcher.Walk(t.Context(), whole.WatchOptions())
	whole.ReadAtRest(t.Context(), found, func(_ watcher.FoundFile, err error) {
		if err != nil {
			t.Error(err)
		}
	})
	whole.FinalizeAll()
	want := map[string]uint64{
		"claude_requests_total": 2, "claude_sessions_total": 1, "claude_prompts_total": 2,
		"ccwatchd_line_errors_total": 1, "ccwatchd_read_bytes_total": size + 1 + uint64(len(transcripttest.Replies("a", 2))),
	}
	for how, got := range map[string]map[string]uint64{"in several walks": sums(f.state), "in one call": sums(whole.state)} {
		for family, want := range want {
			if got[family] != want {
				t.Errorf("%s: %s is %d, want %d", how, family, got[family], want)
			}
		}
	}
}

// One walk crosses holes of terabytes and counts the lines after them.
func TestLinesAfterHole(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system does not report holes")
	}
	const apart = 1 << 38
	d := transcripttest.NewDir(t)
	d.WriteSparse("a.jsonl", 20*apart, "\n"+transcripttest.Replies("a", 2))
	file, err := os.OpenFile(d.Path("a.jsonl"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) { // some data now and then
		if _, err := file.WriteAt([]byte("x"), i*apart); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	f, roots := openedFollower(t, d.Root)
	if err := f.follow(t.Context(), roots, watcher.File{Rel: "a.jsonl"}); err != nil {
		t.Fatal(err)
	}
	f.FinalizeAll()
	if got := sums(f.state)["claude_requests_total"]; got != 2 {
		t.Errorf("got %d requests, want 2", got)
	}
}
