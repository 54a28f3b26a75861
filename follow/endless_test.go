package follow

import (
	"context"
	"errors"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A canceled read stops searching an unterminated line, which would take minutes here.
func TestCancelSearchOfUnterminatedLine(t *testing.T) {
	d := transcripttest.NewDir(t)
	d.WriteSparse("a.jsonl", 1<<40, "")
	f, roots := openedFollower(t, d.Root)
	calls := 0
	f.alive = func() { calls++ }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := watcher.File{Rel: "a.jsonl"}
	if err := f.follow(ctx, roots, name); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if at := f.activeAt(name); at == nil || at.searched != searchBytes || at.offset != 0 {
		t.Errorf("active file is %+v", at)
	}
	if calls != 1 {
		t.Errorf("Alive was called %d times, want once for each %d bytes", calls, searchBytes)
	}
}

// Every walk continues to search a line that is too long, although its file is
// unchanged, and the lines after it are counted in the end.
func TestLinesAfterTooLongLine(t *testing.T) {
	const size = 5 * searchBytes / 2
	d := transcripttest.NewDir(t)
	d.WriteSparse("a.jsonl", size, "\n"+transcripttest.Replies("a", 2))
	f, roots := openedFollower(t, d.Root)
	for walk, want := range []int64{searchBytes, 2 * searchBytes, size + 1 + int64(len(transcripttest.Replies("a", 2)))} {
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
		if at := f.activeAt(found[0].File); at != nil && at.searched != want || at == nil && walk < 2 {
			t.Fatalf("walk %d: active file is %+v, want %d searched", walk, at, want)
		}
		if err := f.readUnterminated(roots, found[0].File); err != nil { // no part of it is a last line
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
