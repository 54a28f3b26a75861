package checkpoint

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// A crash between any two operations, or within Commit, neither loses nor repeats a
// frame.
func TestCrashBetweenOperations(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var applied fold
	survives := func(point string, d directory) {
		t.Helper()
		copied := d.write(t)
		wantLoaded(t, copied, applied.String(), 0)
		// A process that restarts and dies immediately changes nothing.
		again := open(t, copied)
		mustLoad(t, again)
		rotate(t, again)
		closeStore(t, again)
		wantLoaded(t, copied, applied.String(), 0)
		if t.Failed() {
			t.Fatalf("after %s, of %s", point, d.names())
		}
	}
	frame := func(name string) {
		appendFrames(t, s, name)
		applied = append(applied, name)
		survives("frame "+name, read(t, dir))
	}
	snapshot := func(concurrent string) {
		state := applied.String()
		g := rotate(t, s)
		if applied != nil {
			survives("rotate", read(t, dir))
			frame(concurrent)
		}
		before := read(t, dir)
		commit(t, s, g, state)
		after := read(t, dir)
		survives("commit", after)
		if applied != nil {
			survives("half a snapshot", before.with("state-123", after["state"][:5]))
		}
		survives("the rename", before.with("state", after["state"]))
	}

	snapshot("")
	frame("a")
	frame("b")
	snapshot("c")
	snapshot("d")
	frame("e")
	rotate(t, s) // without a Commit
	frame("f")
	snapshot("g")
	frame("h")
}

func TestSnapshotByteFlipped(t *testing.T) {
	d := sample(t)
	good := d["state"]
	for i := range len(good) {
		bad := flipped(good, 8*i+i%8)
		dir := d.with("state", bad).write(t)
		r := wantLoaded(t, dir, "", 3) // the snapshot and the two journals that continue it
		if got := read(t, dir); r.Restored || got["state.damaged-1"] != bad ||
			got.names() != "journal-1.damaged-1 journal-2.damaged-1 state.damaged-1" {
			t.Fatalf("byte %d flipped: %s", i, got.names())
		}
	}
	for cut := range len(good) {
		if wantLoaded(t, d.with("state", good[:cut]).write(t), "", 3); t.Failed() {
			t.Fatal(caseName("cut", cut))
		}
	}
}

func TestJournalByteFlipped(t *testing.T) {
	d := sample(t)
	for _, name := range []string{"journal-1", "journal-2"} {
		good := d[name]
		for i := range len(good) {
			bad := flipped(good, 8*i+i%8)
			dir := d.with(name, bad).write(t)
			f, r, err := load(t, dir)
			if err != nil || len(r.Damage) == 0 || !r.Restored {
				t.Fatalf("%s: %v, %v", caseName(name, i), r.Damage, err)
			}
			if got := f.String(); !slices.Contains([]string{"a,b", "a,b,c", "a,b,c,ddd"}, got) {
				t.Fatalf("%s: loaded %q", caseName(name, i), got)
			}
			if got := read(t, dir); got[name+".damaged-1"] != bad {
				t.Fatalf("%s: files are %s", caseName(name, i), got.names())
			}
		}
	}
}

// Quarantined files are kept, and damage is reported once.
func TestQuarantine(t *testing.T) {
	d := sample(t)
	d["journal-2"] = flipped(d["journal-2"], 8*headerEnd(d["journal-2"]))
	dir := d.write(t)
	r := wantLoaded(t, dir, "a,b,c,ddd", 1)
	if want := "journal is damaged: journal-2 renamed to journal-2.damaged-1"; errorsText(r.Damage) != want {
		t.Errorf("damage %q, want %q", errorsText(r.Damage), want)
	}
	wantLoaded(t, dir, "a,b,c,ddd", 0)

	s := open(t, dir)
	mustLoad(t, s)
	g := rotate(t, s)
	commit(t, s, g, "x")
	filetest.Write(t, filepath.Join(dir, "state"), "bad")
	closeStore(t, s)
	wantLoaded(t, dir, "", 1)
	filetest.Write(t, filepath.Join(dir, "state"), "bad too")
	wantLoaded(t, dir, "", 1)
	got := read(t, dir)
	if got["journal-2.damaged-1"] != d["journal-2"] || got["state.damaged-1"] != "bad" || got["state.damaged-2"] != "bad too" {
		t.Errorf("files are %s", got.names())
	}
}

func errorsText(errs []error) string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}

func TestUnusualDirectories(t *testing.T) {
	d := sample(t)
	frame := func(content string) string { return string(appendFrameHeader(nil, []byte(content))) + content }
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
		{"no snapshot", d.without("state"), "", 2},
		{"no snapshot and nothing appended", directory{"journal-1": head(1, 0)}, "", 0},
		{"the first journal is missing", d.without("journal-1"), "a,b", 2},
		{"the last journal is missing", d.without("journal-2"), "a,b,c,ddd", 0},
		{"an older journal remains", d.with("journal-0", "anything"), "a,b,c,ddd,e", 0},
		{"a journal of another generation", d.with("journal-2", head(3, 1)+frame("x")), "a,b,c,ddd", 1},
		{"a journal after a gap", d.with("journal-3", head(3, 1)+frame("x")), "a,b,c,ddd,e", 1},
		{"a journal without predecessor", d.with("journal-3", head(3, 0)+frame("x")), "a,b,c,ddd,e", 1},
		{"an empty journal without predecessor", d.with("journal-3", head(3, 0)), "a,b,c,ddd,e", 0},
		{"a journal that continues", d.with("journal-3", head(3, 2)+frame("x")), "a,b,c,ddd,e,x", 0},
		{"a journal whose predecessor lost its end", d.with("journal-3", journalHead(3, 2, len(d["journal-2"])+1)+frame("x")), "a,b,c,ddd,e", 1},
		{"a frame that cannot be applied", d.with("journal-2", head(2, 1)+frame("x")+frame("bad")+frame("y")), "a,b,c,ddd,x", 1},
		{"zeros at the end", d.with("journal-2", d["journal-2"]+strings.Repeat("\x00", 64)), "a,b,c,ddd,e", 1},
		{"other files", d.with("journal-x", "mine").with("statement", "mine"), "a,b,c,ddd,e", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tt.dir.write(t)
			wantLoaded(t, dir, tt.want, tt.damages)
			for _, unrelated := range []string{"journal-x", "statement"} {
				if _, ok := tt.dir[unrelated]; ok && !exists(filepath.Join(dir, unrelated)) {
					t.Errorf("%s was removed", unrelated)
				}
			}
		})
	}
}

// A name that looks like a journal's is no evidence: what Rotate did not start is put
// aside, and neither stops the process nor determines the numbers of later journals.
func TestStrayJournals(t *testing.T) {
	valid := sample(t)["journal-1"]
	for _, tt := range []struct{ name, content string }{
		{"journal-007", valid},
		{"journal-00", ""},
		{"journal-18446744073709551614", valid},
		{"journal-18446744073709551614", ""},
		{"journal-18446744073709551615", valid},
		{"journal-18446744073709551615", journalHead(math.MaxUint64, 0, 0)},
		{"journal-18446744073709551616", valid},
		{"journal-9/content", "mine"},
		{"journal-3/content", "mine"},
	} {
		t.Run(caseName(tt.name, len(tt.content)), func(t *testing.T) {
			dir := sample(t).write(t)
			name, file, isDir := strings.Cut(tt.name, "/")
			path := filepath.Join(dir, name)
			if isDir {
				makeDirectory(t, path)
				path = filepath.Join(path, file)
			}
			filetest.Write(t, path, tt.content)
			r := wantLoaded(t, dir, "a,b,c,ddd,e", 1)
			if want := name + " renamed to " + name + ".damaged-1"; !strings.HasSuffix(errorsText(r.Damage), want) {
				t.Errorf("damage %q, want %q", errorsText(r.Damage), want)
			}
			if got := filetest.Read(t, filepath.Join(dir, name+".damaged-1", file)); got != tt.content {
				t.Errorf("the content is now %q", got)
			}
			s := open(t, dir)
			mustLoad(t, s)
			if g := rotate(t, s); g != 3 {
				t.Errorf("the next journal has number %d, want 3", g)
			}
			commit(t, s, 3, "a")
			appendFrames(t, s, "b")
			closeStore(t, s)
			wantLoaded(t, dir, "a,b", 0)
		})
	}
}

// A state that its owner cannot decode counts as damaged.
func TestUnreadableState(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, rotate(t, s), "unreadable")
	closeStore(t, s)
	r := wantLoaded(t, dir, "", 1)
	if want := "snapshot is damaged: unreadable: state renamed to state.damaged-1"; errorsText(r.Damage) != want {
		t.Errorf("damage %q, want %q", errorsText(r.Damage), want)
	}
}

func TestTemporaryFilesAreRemoved(t *testing.T) {
	for _, name := range []string{"plain", "with [x] and * in it"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			s := open(t, dir)
			commit(t, s, rotate(t, s), "a")
			closeStore(t, s)
			for _, left := range []string{"state-1", "state-backup", "probe-7", "state.damaged-1"} {
				filetest.Write(t, filepath.Join(dir, left), "")
			}
			mine := filepath.Join(dir, "state-2")
			makeDirectory(t, mine)
			filetest.Write(t, filepath.Join(mine, "content"), "mine")
			wantLoaded(t, dir, "a", 0)
			if err := os.RemoveAll(mine); err != nil {
				t.Fatal(err)
			}
			if got := read(t, dir).names(); got != "journal-1 state state-backup state.damaged-1" {
				t.Errorf("files are %s", got)
			}
		})
	}
}

func TestUnreadableDirectory(t *testing.T) {
	dir := sample(t).write(t)
	name := filepath.Join(dir, "state")
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	makeDirectory(t, name)
	if _, _, err := load(t, dir); err == nil || !strings.HasPrefix(err.Error(), "read snapshot: ") {
		t.Errorf("got %v, want an error that names the snapshot", err)
	}
}
