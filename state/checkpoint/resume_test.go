package checkpoint

import (
	"os"
	"testing"
)

// Only a completely replayed journal can be resumed.
func TestResume(t *testing.T) {
	d := sample(t)
	last := d["journal-2"]
	for name, tt := range map[string]struct {
		directory
		want bool
	}{
		"unchanged":             {d, true},
		"without a frame":       {d.without("journal-2").with("journal-1", d["journal-1"][:headerEnd(d["journal-1"])]), true},
		"a truncated frame":     {d.with("journal-2", last[:len(last)-1]), false},
		"a truncated header":    {d.with("journal-2", last[:headerEnd(last)-1]), false},
		"damaged":               {d.with("journal-2", flipped(last, 8*(len(last)-1))), false},
		"predecessor truncated": {d.with("journal-1", d["journal-1"][:len(d["journal-1"])-1]), false},
		"predecessor missing":   {d.without("journal-1"), false},
		"no snapshot":           {d.without(snapshotName), false},
		"damaged snapshot":      {d.with(snapshotName, flipped(d[snapshotName], 80)), false},
		"empty directory":       {directory{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tt.write(t)
			s := open(t, dir)
			f := mustLoad(t, s)
			if got := s.Resume(); got != tt.want {
				t.Fatalf("resumed: %v, want %v", got, tt.want)
			}
			if !tt.want {
				if err := s.Append([]byte("x")); err == nil {
					t.Error("Append accepted a frame without a journal")
				}
				return
			}
			appendFrames(t, s, "x", "y")
			g := rotate(t, s)
			appendFrames(t, s, "z")
			before := f.String() + ",x,y"
			all := before + ",z"
			wantAfterCrash(t, dir, all, 0)
			commit(t, s, g, before)
			wantAfterCrash(t, dir, all, 0)
		})
	}
}

// Resume detects changes made since Load.
func TestResumeChangedJournal(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := sample(t).write(t)
			s := open(t, dir)
			f := mustLoad(t, s)
			if err := change(s.path(journalFile(2))); err != nil {
				t.Fatal(err)
			}
			if s.Resume() {
				t.Error("resumed a changed journal")
			}
			commit(t, s, rotate(t, s), f.String())
			wantAfterCrash(t, dir, f.String(), 0)
		})
	}
}

// Resume is refused once a journal was started.
func TestResumeAfterRotate(t *testing.T) {
	s := open(t, sample(t).write(t))
	mustLoad(t, s)
	rotate(t, s)
	if s.Resume() {
		t.Error("resumed although a journal is open")
	}
}
