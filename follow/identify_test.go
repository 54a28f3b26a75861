package follow

import (
	"slices"
	"testing"
	"time"
)

// The number of a field is the kind of a step.
const (
	openStep  = 1<<3 | 2
	readStep  = 2<<3 | 2
	resetStep = 3<<3 | 2
	goneStep  = 5<<3 | 2
)

// The steps of a file are those of what happened to it, and no more.
func TestStepsOfAFile(t *testing.T) {
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for name, tt := range map[string]struct {
		do   func(d dir, h *history)
		want []byte
	}{
		"unchanged":         {func(dir, *history) {}, nil},
		"grown":             {func(d dir, _ *history) { d.add(a, said("b", 1)) }, []byte{readStep}},
		"touched":           {func(d dir, _ *history) { touch(d, d.path(a), time.Now().Add(-time.Hour)) }, []byte{openStep}},
		"renamed":           {func(d dir, _ *history) { d.rename(a, b) }, []byte{openStep}},
		"truncated":         {func(d dir, _ *history) { d.write(a, said("a", 1)) }, []byte{resetStep, readStep}},
		"replaced":          {func(d dir, _ *history) { d.write(b, said("b", 3)); d.rename(b, a) }, []byte{openStep, resetStep, goneStep, readStep}},
		"configured again":  {func(_ dir, h *history) { h.restart() }, []byte{openStep}},
		"grown and renamed": {func(d dir, _ *history) { d.add(a, said("b", 1)); d.rename(a, b) }, []byte{openStep, readStep}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDir(t)
			d.write(a, said("a", 3))
			h := newHistory(t, d.dir, 0)
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
