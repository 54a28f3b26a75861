package follow

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/test/statetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// The parts of a file that a frame changes.
const (
	openFrame    = "open" // its path or modification time
	resetFrame   = "reset"
	bothFrame    = openFrame + resetFrame
	batchFrame   = "batch"
	missingFrame = "missing"
)

// kindOf returns the part of a file that a frame changes.
func kindOf(t testing.TB, frame []byte) (kind string) {
	t.Helper()
	changes, err := statetest.FileChanges(frame)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		has := func(n protowire.Number) bool {
			_, ok := c.Values[n]
			return ok
		}
		switch {
		case has(statetest.Missing):
			kind += missingFrame
		case has(statetest.Offset):
			kind += batchFrame
		case has(statetest.Path), has(statetest.Modified):
			kind += openFrame
		}
		if slices.Contains(c.Zeroed, statetest.Offset) {
			kind += resetFrame
		}
	}
	return kind
}

// Each change of a file results in exactly the expected frames.
func TestFramesOfFileChange(t *testing.T) {
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for name, tt := range map[string]struct {
		do   func(d dir, h *frameRecorder)
		want []string
	}{
		"unchanged":        {func(dir, *frameRecorder) {}, nil},
		"grown":            {func(d dir, _ *frameRecorder) { d.Append(a, said("b", 1)) }, []string{batchFrame}},
		"touched":          {func(d dir, _ *frameRecorder) { d.Touch(a, time.Now().Add(-time.Hour)) }, []string{openFrame}},
		"renamed":          {func(d dir, _ *frameRecorder) { d.Rename(a, b) }, []string{openFrame}},
		"truncated":        {func(d dir, _ *frameRecorder) { d.Write(a, said("a", 1)) }, []string{openFrame, missingFrame, batchFrame}},
		"replaced":         {func(d dir, _ *frameRecorder) { d.Write(b, said("b", 3)); d.Rename(b, a) }, []string{openFrame, missingFrame, batchFrame}},
		"configured again": {func(_ dir, h *frameRecorder) { h.restart() }, nil},
		"read again": {func(_ dir, h *frameRecorder) { // once
			h.ReadAgain(h.files())
			h.read(h.files())
		}, []string{resetFrame, batchFrame}},
		"renamed, read again": {func(d dir, h *frameRecorder) {
			d.Rename(a, b)
			h.ReadAgain(h.files())
		}, []string{bothFrame, batchFrame}},
		"inode reused, read again": {func(d dir, h *frameRecorder) {
			d.Rename(a, b)
			d.Write(b, said("b", 4))
			h.ReadAgain(h.files())
		}, []string{openFrame, batchFrame}},
		"grown and renamed": {func(d dir, _ *frameRecorder) { d.Append(a, said("b", 1)); d.Rename(a, b) }, []string{openFrame, batchFrame}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := transcripttest.NewDir(t)
			d.Write(a, said("a", 3))
			h := newRecorder(t, d.Root, 0)
			h.read(h.files())
			before := len(h.frames)
			tt.do(d, h)
			h.read(h.files())
			var got []string
			for _, frame := range h.frames[before:] {
				got = append(got, kindOf(t, frame))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("frames are %v, want %v", got, tt.want)
			}
		})
	}
}

// A file whose beginning is rewritten between its identification and the reading of new
// lines is replaced: its fingerprint keeps the beginning that was identified.
func TestRewrittenAfterIdentification(t *testing.T) {
	t.Parallel()
	d := transcripttest.NewDir(t)
	const a = "p/a.jsonl"
	d.Write(a, said("a", 9))
	h := newRecorder(t, d.Root, 0)
	h.read(h.files())
	d.Append(a, said("b", 1))
	other := []byte(said("c", 9)[:1<<10])
	h.alive = func() {
		h.alive = func() {}
		file, err := os.OpenFile(d.Path(a), os.O_WRONLY, 0)
		d.Must(err)
		_, err = file.WriteAt(other, 0)
		d.Must(errors.Join(err, file.Close()))
	}
	h.read(h.files())
	before := len(h.frames)
	h.read(h.files())
	if !slices.ContainsFunc(h.frames[before:], func(frame []byte) bool { return strings.Contains(kindOf(t, frame), missingFrame) }) {
		t.Errorf("got %d frames after the new lines, want a file to be missing", len(h.frames)-before)
	}
}
