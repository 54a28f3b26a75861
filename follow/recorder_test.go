package follow

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A frameRecorder reads a directory file by file and records every frame.
type frameRecorder struct {
	testing.TB
	*Follower
	dir    string
	roots  roots
	frames [][]byte
}

// Append records a frame like a journal.
func (h *frameRecorder) Append(frame []byte) error {
	h.frames = append(h.frames, slices.Clone(frame))
	return nil
}

// newRecorder returns a recorder for a directory, with a constant clock.
func newRecorder(t testing.TB, dir string, maxLine int) *frameRecorder {
	t.Helper()
	noon := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	h := &frameRecorder{TB: t, dir: dir}
	h.Follower = New(optionsOf(func() time.Time { return noon }), configOf(dir, maxLine))
	h.state.SetJournal(h)
	h.roots = h.openRoots()
	t.Cleanup(h.roots.close)
	return h
}

// restart forgets all data that is not in the state.
func (h *frameRecorder) restart() { h.Configure(configOf(h.dir, h.maxLine)) }

func (h *frameRecorder) files() []watcher.FoundFile {
	h.Helper()
	return walk(h, h.Follower)
}

func (h *frameRecorder) prefetch(files []watcher.FoundFile, maxLine, goroutines int) {
	h.prefetcher = h.startPrefetching(h.Context(), h.roots, files, maxLine, goroutines)
}

// read reads files, which may have been prefetched.
func (h *frameRecorder) read(files []watcher.FoundFile) {
	h.Helper()
	for _, found := range files {
		if err := h.follow(h.Context(), h.roots, found.File); err != nil {
			h.Fatal(err)
		}
	}
	if h.prefetcher != nil {
		h.prefetcher.stop()
		h.prefetcher = nil
	}
}

// wantEqual checks that two recorders have the same frames and state.
func (h *frameRecorder) wantEqual(other *frameRecorder) {
	h.Helper()
	if len(other.frames) < 2 {
		h.Fatalf("got only %d frames", len(other.frames))
	}
	for i := range min(len(h.frames), len(other.frames)) {
		if !bytes.Equal(h.frames[i], other.frames[i]) {
			h.Fatalf("frame %d is %q, want %q", i, h.frames[i], other.frames[i])
		}
	}
	if len(h.frames) != len(other.frames) {
		h.Fatalf("%d frames, want %d", len(h.frames), len(other.frames))
	}
	if got, want := sortedBytes(h.state), sortedBytes(other.state); !bytes.Equal(got, want) {
		h.Error("the states differ")
	}
	if h.backlog != other.backlog || len(h.active) != len(other.active) {
		h.Errorf("backlog is %d with %d active files, want %d with %d", h.backlog, len(h.active), other.backlog, len(other.active))
	}
	for id, want := range other.active {
		if got := h.active[id]; got == nil || *got != *want {
			h.Errorf("active file %s is %+v, want %+v", want.name.Rel, got, want)
		}
	}
}

// sortedBytes returns the sorted bytes of an encoded state, which do not depend on the
// order of maps.
func sortedBytes(s *state.State) []byte {
	_, b, _ := s.Encode(func() (uint64, error) { return 0, nil })
	slices.Sort(b)
	return b
}
