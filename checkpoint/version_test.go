package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/codec"
)

// ofVersion makes a file that begins with magic one of another version.
func ofVersion(content, magic string, version, oldest uint32) string {
	h, rest, _ := parseHeader([]byte(content), magic)
	h.version, h.oldest = version, oldest
	b := append(h.bytes(magic), rest...)
	if magic == snapshotMagic {
		binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
	}
	return string(b)
}

// files are those of a sample, with what they begin with.
var files = []struct{ name, magic string }{{"state", snapshotMagic}, {"journal-1", journalMagic}, {"journal-2", journalMagic}}

// What another version wrote is read if this one can, and never continued: the next
// thing that is written is a snapshot.
func TestOtherVersion(t *testing.T) {
	d := sample(t)
	for _, file := range files {
		for name, version := range map[string]uint32{"older": Version - 1, "newer": Version + 1} {
			t.Run(file.name+" "+name, func(t *testing.T) {
				dir := d
				for _, f := range files { // a journal follows one of a certain length
					dir = dir.with(f.name, ofVersion(dir[f.name], f.magic, Version, Version))
				}
				dir = dir.with(file.name, ofVersion(d[file.name], file.magic, version, min(version, Version)))
				path := dir.write(t)
				s := open(t, path)
				var f fold
				r, err := s.Load(f.restore, f.apply)
				if err != nil || f.String() != "a,b,c,ddd,e" || len(r.Damage) > 0 {
					t.Fatalf("loaded %q, %v, %v", f.String(), r.Damage, err)
				}
				if want := map[bool]uint32{true: version, false: Version}[file.name == snapshotName]; r.Version != want {
					t.Errorf("the snapshot is of version %d, want %d", r.Version, want)
				}
				if file.name != "journal-1" && s.Resume() {
					t.Error("the journal of another version goes on")
				}
				commit(t, s, rotate(t, s), f.String())
				appendSteps(t, s, "x")
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if r := wantLoaded(t, path, "a,b,c,ddd,e,x", 0); r.Version != Version {
					t.Errorf("the snapshot is of version %d, want %d", r.Version, Version)
				}
			})
		}
	}
}

// wantRefused checks that a directory is not loaded, and not changed.
func wantRefused(t *testing.T, d directory, want error, restore, apply func([]byte) error) {
	t.Helper()
	d = d.with("state-1", "left")
	dir := d.write(t)
	s := open(t, dir)
	_, err := s.Load(restore, apply)
	if wanted := (*VersionError)(nil); want == nil && !errors.As(err, &wanted) || want != nil && !errors.Is(err, want) {
		t.Errorf("got %v, want that it is refused", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after := read(t, dir)
	for name, content := range d {
		if name != pidName && after[name] != content {
			t.Errorf("%s was touched", name)
		}
	}
	if len(after) != len(d) {
		t.Errorf("there are %s", after.names())
	}
}

func TestNewerVersion(t *testing.T) {
	d := sample(t)
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			newer := d.with(file.name, ofVersion(d[file.name], file.magic, Version+2, Version+1))
			var f fold
			wantRefused(t, newer, nil, f.restore, f.apply)
			_, _, err := load(t, newer.write(t))
			if want := fmt.Sprintf("newer version (format %d, readable from format %d on, this one is %d)", Version+2, Version+1, Version); !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	// What is damaged is not set aside either.
	newer := d.with("journal-2", ofVersion(d["journal-2"], journalMagic, Version+1, Version+1))
	newer["journal-1"] = flipped(newer["journal-1"], 8*len(newer["journal-1"])-1)
	var f fold
	wantRefused(t, newer, nil, f.restore, f.apply)
}

// A newer version that stopped properly leaves a snapshot that this one can read, and a
// journal without steps, which need not be read.
func TestNewerVersionStopped(t *testing.T) {
	d := sample(t)
	last := ofVersion(d["journal-2"], journalMagic, Version+1, Version+1)
	d["journal-2"] = last[:len(last)-frameHeader-len("e")]
	wantLoaded(t, d.write(t), "a,b,c,ddd", 0)
}

// What the owner of the state does not know but has to is no damage.
func TestUnsupported(t *testing.T) {
	d := sample(t)
	newer := fmt.Errorf("kind 7: %w", codec.ErrUnsupported)
	fails := func([]byte) error { return newer }
	var f fold
	wantRefused(t, d, newer, fails, f.apply)
	wantRefused(t, d, newer, f.restore, fails)
}

// A snapshot stays unreadable for versions that could not read the one before it, since
// it holds what that one held.
func TestOldestReader(t *testing.T) {
	d := sample(t)
	dir := d.write(t)
	s := open(t, dir)
	var f fold
	if _, err := s.Load(f.restore, f.apply); err != nil || s.oldest != oldestReader {
		t.Fatal(s.oldest, err)
	}
	s.oldest = oldestReader + 7 // as a later version would have loaded it
	commit(t, s, rotate(t, s), "x")
	h, _, _ := parseHeader([]byte(read(t, dir)["state"]), snapshotMagic)
	if h.version != Version || h.oldest != oldestReader+7 {
		t.Errorf("the snapshot is of version %d, readable from %d on", h.version, h.oldest)
	}
}

// A header may have fields that this version does not know.
func TestHeaderGrows(t *testing.T) {
	h := header{version: Version + 1, oldest: Version, generation: 5}
	c := codec.NewWriter(nil)
	h.code(c)
	b := append(c.Bytes(), 0x78, 1)
	file := append(appendFrameHeader([]byte(snapshotMagic), b), b...)
	got, rest, err := parseHeader(append(file, "rest"...), snapshotMagic)
	if err != nil || got.generation != 5 || string(rest) != "rest" {
		t.Errorf("got %+v, %q, %v", got, rest, err)
	}
}

// FuzzHeader takes the header off any bytes.
func FuzzHeader(f *testing.F) {
	h := header{version: Version, oldest: oldestReader, generation: 3, follows: 2, length: 100}
	f.Add(h.bytes(snapshotMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, rest, err := parseHeader(b, snapshotMagic)
		if err == nil && (h.oldest > Version || h.size+len(rest) != len(b)) {
			t.Errorf("%q has header %+v", b, h)
		}
	})
}
