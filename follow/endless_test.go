package follow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/internal/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// sparse creates a sparse file of size NUL bytes followed by a text.
func sparse(t testing.TB, name string, size int64, end string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	err = file.Truncate(size)
	if err == nil && end != "" {
		_, err = file.WriteAt([]byte(end), size)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Skipf("cannot create a sparse file: %v", err)
	}
}

// A canceled read stops searching an unterminated line, which would take minutes here.
func TestCancelSearchOfUnterminatedLine(t *testing.T) {
	dir := t.TempDir()
	sparse(t, filepath.Join(dir, "a.jsonl"), 1<<40, "")
	f, roots := opened(t, dir)
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

// Every walk continues to search a line that is too long, although its file is unchanged, and
// the lines after it are counted in the end.
func TestLinesAfterTooLongLine(t *testing.T) {
	const size = 5 * searchBytes / 2
	dir := t.TempDir()
	sparse(t, filepath.Join(dir, "a.jsonl"), size, "\n"+transcripttest.Replies("a", 2))
	f, roots := opened(t, dir)
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
	f.state.FinalizeAll()
	whole, _ := opened(t, dir)
	found, _ := watcher.Walk(t.Context(), whole.WatchOptions())
	whole.ReadAtRest(t.Context(), found, func(_ watcher.FoundFile, err error) {
		if err != nil {
			t.Error(err)
		}
	})
	whole.state.FinalizeAll()
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
