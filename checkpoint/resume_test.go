package checkpoint

import (
	"os"
	"testing"
)

// A journal that was repeated to its end can be gone on with, and no other one.
func TestResume(t *testing.T) {
	d := sample(t)
	last := d["journal-2"]
	without := func(name string) directory {
		other := d.with(name, "")
		delete(other, name)
		return other
	}
	for name, tt := range map[string]struct {
		directory
		want bool
	}{
		"as it was left":             {d, true},
		"without a step":             {without("journal-2").with("journal-1", d["journal-1"][:begin(d["journal-1"])]), true},
		"a step cut off":             {d.with("journal-2", last[:len(last)-1]), false},
		"no whole header":            {d.with("journal-2", last[:begin(last)-1]), false},
		"damaged":                    {d.with("journal-2", flipped(last, 8*(len(last)-1))), false},
		"one before it lost its end": {d.with("journal-1", d["journal-1"][:len(d["journal-1"])-1]), false},
		"one before it missing":      {without("journal-1"), false},
		"no snapshot":                {without(snapshotName), false},
		"damaged snapshot":           {d.with(snapshotName, flipped(d[snapshotName], 80)), false},
		"nothing":                    {directory{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tt.write(t)
			s := open(t, dir)
			var f fold
			if _, err := s.Load(f.restore, f.apply); err != nil {
				t.Fatal(err)
			}
			if got := s.Resume(); got != tt.want {
				t.Fatalf("resumed: %v, want %v", got, tt.want)
			}
			if !tt.want {
				if err := s.Append([]byte("x")); err == nil {
					t.Error("a step was taken that no journal leads up to")
				}
				return
			}
			appendSteps(t, s, "x", "y")
			g := rotate(t, s)
			appendSteps(t, s, "z")
			before := f.String() + ",x,y"
			all := before + ",z"
			wantLoaded(t, read(t, dir).write(t), all, 0)
			commit(t, s, g, before)
			wantLoaded(t, read(t, dir).write(t), all, 0)
		})
	}
}

// What was changed between Load and Resume is found out.
func TestResumeOfAnother(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := sample(t).write(t)
			s := open(t, dir)
			var f fold
			if _, err := s.Load(f.restore, f.apply); err != nil {
				t.Fatal(err)
			}
			if err := change(s.journalPath(2)); err != nil {
				t.Fatal(err)
			}
			if s.Resume() {
				t.Error("resumed")
			}
			commit(t, s, rotate(t, s), f.String())
			wantLoaded(t, read(t, dir).write(t), f.String(), 0)
		})
	}
}

// Resuming is for the time before anything is written.
func TestResumeTooLate(t *testing.T) {
	s := open(t, sample(t).write(t))
	var f fold
	if _, err := s.Load(f.restore, f.apply); err != nil {
		t.Fatal(err)
	}
	rotate(t, s)
	if s.Resume() {
		t.Error("resumed a journal beside another one")
	}
}
