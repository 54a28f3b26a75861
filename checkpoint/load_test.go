package checkpoint

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A crash at any point between two operations, and within a Commit, loses no
// step and repeats none.
func TestCrashAnywhere(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var took fold
	survives := func(point string, d directory) {
		t.Helper()
		copied := d.write(t)
		wantLoaded(t, copied, took.String(), 0)
		// A process that dies at once after it began anew changes nothing.
		again := open(t, copied)
		var f fold
		if _, err := again.Load(f.restore, f.apply); err != nil {
			t.Fatal(err)
		}
		rotate(t, again)
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		wantLoaded(t, copied, took.String(), 0)
		if t.Failed() {
			t.Fatalf("after %s, of %s", point, d.names())
		}
	}
	step := func(name string) {
		appendSteps(t, s, name)
		took = append(took, name)
		survives("step "+name, read(t, dir))
	}
	snapshot := func(meanwhile string) {
		state := took.String()
		g := rotate(t, s)
		if took != nil {
			survives("rotate", read(t, dir))
			step(meanwhile)
		}
		before := read(t, dir)
		commit(t, s, g, state)
		after := read(t, dir)
		survives("commit", after)
		if took != nil {
			survives("half a snapshot", before.with("state-123", after["state"][:5]))
		}
		survives("the rename", before.with("state", after["state"]))
	}

	snapshot("")
	step("a")
	step("b")
	snapshot("c")
	snapshot("d")
	step("e")
	rotate(t, s) // and no Commit, for whatever reason
	step("f")
	snapshot("g")
	step("h")
}

func TestSnapshotWithAnyByteWrong(t *testing.T) {
	d := sample(t)
	good := d["state"]
	for i := range len(good) {
		bad := flipped(good, 8*i+i%8)
		dir := d.with("state", bad).write(t)
		r := wantLoaded(t, dir, "", 3) // it, and two journals that continue it
		if got := read(t, dir); r.Restored || got["state.damaged-1"] != bad ||
			got.names() != "journal-1.damaged-1 journal-2.damaged-1 state.damaged-1" {
			t.Fatalf("byte %d wrong: %s", i, got.names())
		}
	}
	for cut := range len(good) {
		if wantLoaded(t, d.with("state", good[:cut]).write(t), "", 3); t.Failed() {
			t.Fatal(at("cut", cut))
		}
	}
}

func TestJournalWithAnyByteWrong(t *testing.T) {
	d := sample(t)
	for _, name := range []string{"journal-1", "journal-2"} {
		good := d[name]
		for i := range len(good) {
			bad := flipped(good, 8*i+i%8)
			dir := d.with(name, bad).write(t)
			f, r, err := load(t, dir)
			if err != nil || len(r.Damage) == 0 || !r.Restored {
				t.Fatalf("%s: %v, %v", at(name, i), r.Damage, err)
			}
			if got := f.String(); !slices.Contains([]string{"a,b", "a,b,c", "a,b,c,ddd"}, got) {
				t.Fatalf("%s: loaded %q", at(name, i), got)
			}
			if got := read(t, dir); got[name+".damaged-1"] != bad {
				t.Fatalf("%s: there are %s", at(name, i), got.names())
			}
		}
	}
}

// What was set aside stays, whatever happens next.
func TestDamageIsKept(t *testing.T) {
	d := sample(t)
	d["journal-2"] = flipped(d["journal-2"], 8*begin(d["journal-2"]))
	dir := d.write(t)
	r := wantLoaded(t, dir, "a,b,c,ddd", 1)
	if want := "journal is damaged: journal-2 was set aside as journal-2.damaged-1"; errorsText(r.Damage) != want {
		t.Errorf("damage %q, want %q", errorsText(r.Damage), want)
	}
	wantLoaded(t, dir, "a,b,c,ddd", 0) // told once

	s := open(t, dir)
	var f fold
	if _, err := s.Load(f.restore, f.apply); err != nil {
		t.Fatal(err)
	}
	g := rotate(t, s)
	commit(t, s, g, "x")
	if err := os.WriteFile(filepath.Join(dir, "state"), []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantLoaded(t, dir, "", 1)
	if err := os.WriteFile(filepath.Join(dir, "state"), []byte("bad too"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantLoaded(t, dir, "", 1)
	got := read(t, dir)
	if got["journal-2.damaged-1"] != d["journal-2"] || got["state.damaged-1"] != "bad" || got["state.damaged-2"] != "bad too" {
		t.Errorf("there are %s", got.names())
	}
}

func errorsText(errs []error) string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}

func TestOddDirectories(t *testing.T) {
	d := sample(t)
	without := func(name string) directory {
		other := maps.Clone(d)
		delete(other, name)
		return other
	}
	frame := func(step string) string { return string(appendFrameHeader(nil, []byte(step))) + step }
	head := func(generation, follows uint64) string {
		before := d[fmt.Sprint(journalName, follows)]
		return journalHead(generation, follows, len(before))
	}
	for _, tt := range []struct {
		name    string
		dir     directory
		want    string
		damages int
	}{
		{"no snapshot", without("state"), "", 2},
		{"no snapshot and nothing appended", directory{"journal-1": head(1, 0)}, "", 0},
		{"the first journal is missing", without("journal-1"), "a,b", 2},
		{"the last journal is missing", without("journal-2"), "a,b,c,ddd", 0},
		{"an older journal is left", d.with("journal-0", "anything"), "a,b,c,ddd,e", 0},
		{"a journal of another generation", d.with("journal-2", head(3, 1)+frame("x")), "a,b,c,ddd", 1},
		{"a journal after a gap", d.with("journal-3", head(3, 1)+frame("x")), "a,b,c,ddd,e", 1},
		{"a journal that follows none", d.with("journal-3", head(3, 0)+frame("x")), "a,b,c,ddd,e", 1},
		{"a journal that follows none and holds nothing", d.with("journal-3", head(3, 0)), "a,b,c,ddd,e", 0},
		{"a journal that follows", d.with("journal-3", head(3, 2)+frame("x")), "a,b,c,ddd,e,x", 0},
		{"a journal that follows more than is there", d.with("journal-3", journalHead(3, 2, len(d["journal-2"])+1)+frame("x")), "a,b,c,ddd,e", 1},
		{"a step that cannot be repeated", d.with("journal-2", head(2, 1)+frame("x")+frame("bad")+frame("y")), "a,b,c,ddd,x", 1},
		{"zeros where the machine died", d.with("journal-2", d["journal-2"]+strings.Repeat("\x00", 64)), "a,b,c,ddd,e", 1},
		{"other files", d.with("journal-x", "mine").with("statement", "mine"), "a,b,c,ddd,e", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tt.dir.write(t)
			wantLoaded(t, dir, tt.want, tt.damages)
			for _, mine := range []string{"journal-x", "statement"} {
				if _, ok := tt.dir[mine]; ok && !exists(filepath.Join(dir, mine)) {
					t.Errorf("%s is gone", mine)
				}
			}
		})
	}
}

// A state that the owner cannot read is damage too.
func TestUnreadableState(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "unreadable")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := wantLoaded(t, dir, "", 1)
	if want := "snapshot is damaged: unreadable: state was set aside as state.damaged-1"; errorsText(r.Damage) != want {
		t.Errorf("damage %q, want %q", errorsText(r.Damage), want)
	}
}

func TestTemporaryFilesAreRemoved(t *testing.T) {
	for _, name := range []string{"plain", "with [x] and * in it"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			s := open(t, dir)
			commit(t, s, rotate(t, s), "a")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for _, left := range []string{"state-1", "state-abc", "probe-7", "state.damaged-1"} {
				if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			wantLoaded(t, dir, "a", 0)
			if got := read(t, dir).names(); got != "journal-1 state state.damaged-1" {
				t.Errorf("there are %s", got)
			}
		})
	}
}

func TestUnreadableDirectory(t *testing.T) {
	d := sample(t)
	for _, tt := range []struct{ name, want string }{
		{"state", "read snapshot: "},
		{"journal-1", "read journal: "},
		{"state-1", "remove temporary file: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := d.write(t)
			name := filepath.Join(dir, tt.name)
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(name, "x"), 0o700); err != nil {
				t.Fatal(err)
			}
			if _, _, err := load(t, dir); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that begins with %q", err, tt.want)
			}
		})
	}
}
