package follow

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// First bytes of encoded steps: the field number is the kind of the step.
const (
	openStep    = 1<<3 | 2
	batchStep   = 2<<3 | 2
	resetStep   = 3<<3 | 2
	missingStep = 5<<3 | 2
)

// Each change of a file results in exactly the expected steps.
func TestStepsOfFileChange(t *testing.T) {
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for name, tt := range map[string]struct {
		do   func(d dir, h *stepRecorder)
		want []byte
	}{
		"unchanged":        {func(dir, *stepRecorder) {}, nil},
		"grown":            {func(d dir, _ *stepRecorder) { d.Append(a, said("b", 1)) }, []byte{batchStep}},
		"touched":          {func(d dir, _ *stepRecorder) { d.Touch(a, time.Now().Add(-time.Hour)) }, []byte{openStep}},
		"renamed":          {func(d dir, _ *stepRecorder) { d.Rename(a, b) }, []byte{openStep}},
		"truncated":        {func(d dir, _ *stepRecorder) { d.Write(a, said("a", 1)) }, []byte{resetStep, batchStep}},
		"replaced":         {func(d dir, _ *stepRecorder) { d.Write(b, said("b", 3)); d.Rename(b, a) }, []byte{openStep, resetStep, missingStep, batchStep}},
		"configured again": {func(_ dir, h *stepRecorder) { h.restart() }, []byte{openStep}},
		"read again": {func(_ dir, h *stepRecorder) { // once
			h.ReadAgain(h.files())
			h.read(h.files())
		}, []byte{resetStep, batchStep}},
		"renamed, read again": {func(d dir, h *stepRecorder) {
			d.Rename(a, b)
			h.ReadAgain(h.files())
		}, []byte{openStep, resetStep, batchStep}},
		"inode reused, read again": {func(d dir, h *stepRecorder) {
			d.Rename(a, b)
			d.Write(b, said("b", 4))
			h.ReadAgain(h.files())
		}, []byte{openStep, batchStep}},
		"grown and renamed": {func(d dir, _ *stepRecorder) { d.Append(a, said("b", 1)); d.Rename(a, b) }, []byte{openStep, batchStep}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := transcripttest.NewDir(t)
			d.Write(a, said("a", 3))
			h := newRecorder(t, d.Root, 0)
			h.read(h.files())
			before := len(h.steps)
			tt.do(d, h)
			h.read(h.files())
			var got []byte
			for _, step := range h.steps[before:] {
				got = append(got, step[0])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("steps are %v, want %v", got, tt.want)
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
	before := len(h.steps)
	h.read(h.files())
	if !slices.ContainsFunc(h.steps[before:], func(step []byte) bool { return step[0] == resetStep }) {
		t.Errorf("got %d steps after the new lines, want a reset", len(h.steps)-before)
	}
}
