package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// ofVersion changes the version of a file that starts with the magic.
func ofVersion(content, magic string, version, oldest uint32) string {
	h, rest, _ := parseHeader([]byte(content), magic)
	h.version, h.oldest = version, oldest
	b := append(h.bytes(magic), rest...)
	if magic == snapshotMagic {
		binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
	}
	return string(b)
}

// files are the files of sample, with their magic.
var files = []struct{ name, magic string }{{"state", snapshotMagic}, {"journal-1", journalMagic}, {"journal-2", journalMagic}}

// A condition of a file in a state directory.
type condition string

const (
	fine         condition = "fine"
	newer        condition = "newer"
	older        condition = "older"
	cut          condition = "newer and truncated"
	damagedPart  condition = "damaged"
	missing      condition = "missing"
	newerDamaged condition = "newer with damaged steps"
)

// in returns the file in that condition, and false if it is missing.
func (c condition) in(content, magic string) (string, bool) {
	switch c {
	case newer:
		return ofVersion(content, magic, Version+2, Version+1), true
	case older:
		return ofVersion(content, magic, Version-1, Version-1), true
	case newerDamaged:
		content = ofVersion(content, magic, Version+7, Version+7)
		return flipped(content, 8*(len(content)-1)), true
	case cut:
		content = ofVersion(content, magic, Version+1, Version+1)
		return content[:len(content)-1], true
	case damagedPart:
		return flipped(content, 8*len(magic)+70), true
	case missing:
		return "", false
	default:
		return content, true
	}
}

// A readable file of another version is read but never appended to: the next write is a
// snapshot.
func TestOtherVersion(t *testing.T) {
	d := sample(t)
	for _, file := range files {
		for name, version := range map[string]uint32{"older": Version - 1, "newer": Version + 1} {
			t.Run(file.name+" "+name, func(t *testing.T) {
				dir := d
				for _, f := range files { // a journal records the length of its predecessor
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
					t.Errorf("snapshot has version %d, want %d", r.Version, want)
				}
				if file.name != "journal-1" && s.Resume() {
					t.Error("resumed the journal of another version")
				}
				commit(t, s, rotate(t, s), f.String())
				appendSteps(t, s, "x")
				closeStore(t, s)
				if r := wantLoaded(t, path, "a,b,c,ddd,e,x", 0); r.Version != Version {
					t.Errorf("snapshot has version %d, want %d", r.Version, Version)
				}
			})
		}
	}
}

// wantRefused checks that Load fails and changes nothing.
func wantRefused(t *testing.T, d directory, want error, restore, apply func([]byte) error) {
	t.Helper()
	d = d.with("state-1", "left")
	dir := d.write(t)
	s := open(t, dir)
	_, err := s.Load(restore, apply)
	if wanted := (*VersionError)(nil); want == nil && !errors.As(err, &wanted) || want != nil && !errors.Is(err, want) {
		t.Errorf("got %v, want a refusal", err)
	}
	closeStore(t, s)
	after := read(t, dir)
	for name, content := range d {
		if name != pidName && after[name] != content {
			t.Errorf("%s was changed", name)
		}
	}
	if len(after) != len(d) {
		t.Errorf("files are %s", after.names())
	}
}

// A directory with any file of a newer version is refused and left unchanged, whatever
// the condition of its other files. Every other directory is accepted.
func TestNewerVersion(t *testing.T) {
	original := sample(t)
	for _, snapshot := range []condition{fine, newer, older, cut, damagedPart, missing} {
		for _, first := range []condition{fine, newer, newerDamaged, older, damagedPart, missing} {
			for _, second := range []condition{fine, newer, newerDamaged, damagedPart, missing} {
				t.Run(fmt.Sprintf("snapshot %s, journals %s and %s", snapshot, first, second), func(t *testing.T) {
					d := maps.Clone(original).with("state-1", "left").with("journal-7", "").with("state.damaged-1", "aside")
					refused := false
					for _, part := range []struct {
						name, magic string
						condition
					}{{"state", snapshotMagic, snapshot}, {"journal-1", journalMagic, first}, {"journal-2", journalMagic, second}} {
						refused = refused || strings.HasPrefix(string(part.condition), string(newer))
						if content, ok := part.in(original[part.name], part.magic); ok {
							d[part.name] = content
						} else {
							delete(d, part.name)
						}
					}
					d[pidName] = "12345\n"
					if first == second { // as in a copy
						delete(d, pidName)
						delete(d, lockName)
					}
					if !refused {
						if _, _, err := load(t, d.write(t)); err != nil {
							t.Errorf("refused: %v", err)
						}
						return
					}
					d.isRefused(t)
				})
			}
		}
	}
}

// isRefused checks that a directory is refused because of its version, and that nothing
// in it changes, including modification times.
func (d directory) isRefused(t *testing.T) {
	t.Helper()
	dir := d.write(t)
	before := time.Unix(1_700_000_000, 0)
	names := append([]string{""}, strings.Fields(d.names())...)
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(dir, name), before, before); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir)
	if err == nil {
		_ = s.Close()
	}
	var version *VersionError
	if !errors.As(err, &version) || !strings.Contains(err.Error(), fmt.Sprintf("newer version (format %d, readable from format %d on, this one is %d)", version.Found, version.Oldest, Version)) {
		t.Errorf("got %v, want a *VersionError", err)
	}
	if after := read(t, dir); !maps.Equal(after, d) {
		t.Errorf("files changed: they are %s, and were %s", after.names(), d.names())
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.ModTime().Equal(before) {
			t.Errorf("%q was changed: %v", name, err)
		}
	}
}

// A state that a newer version writes between the first check and the lock is refused
// too.
func TestNewerVersionBeforeLock(t *testing.T) {
	d := sample(t)
	d[snapshotName], _ = newer.in(d[snapshotName], snapshotMagic)
	d[pidName] = "12345\n"
	dir := d.write(t)
	s, err := openChecked(dir, refuseNewer)
	if err == nil {
		_ = s.Close()
	}
	if !errors.As(err, new(*VersionError)) {
		t.Errorf("got %v, want a *VersionError", err)
	}
	if after := read(t, dir); !maps.Equal(after, d) {
		t.Errorf("files are %s", after.names())
	}
}

// Remove removes the state of any version.
func TestRemoveNewerVersion(t *testing.T) {
	d := sample(t)
	d[snapshotName], _ = newer.in(d[snapshotName], snapshotMagic)
	dir := d.write(t)
	if err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory still exists: %v", err)
	}
}

// A newer version that stopped cleanly leaves a readable snapshot, and a journal
// without steps, which need not be read.
func TestNewerVersionStopped(t *testing.T) {
	d := sample(t)
	last := ofVersion(d["journal-2"], journalMagic, Version+1, Version+1)
	d["journal-2"] = last[:len(last)-frameHeader-len("e")]
	wantLoaded(t, d.write(t), "a,b,c,ddd", 0)
}

// Data that the owner of the state must not ignore but does not know is no damage.
func TestUnsupported(t *testing.T) {
	d := sample(t)
	newer := fmt.Errorf("kind 7: %w", codec.ErrUnsupported)
	fails := func([]byte) error { return newer }
	var f fold
	wantRefused(t, d, newer, fails, f.apply)
	wantRefused(t, d, newer, f.restore, fails)
}

// A snapshot stays unreadable to versions that could not read its predecessor, since it
// includes the same data.
func TestOldestReader(t *testing.T) {
	d := sample(t)
	dir := d.write(t)
	s := open(t, dir)
	var f fold
	if _, err := s.Load(f.restore, f.apply); err != nil || s.oldest != oldestReader {
		t.Fatal(s.oldest, err)
	}
	s.oldest = oldestReader + 7 // as loaded by a later version
	commit(t, s, rotate(t, s), "x")
	h, _, _ := parseHeader([]byte(read(t, dir)["state"]), snapshotMagic)
	if h.version != Version || h.oldest != oldestReader+7 {
		t.Errorf("snapshot has version %d, readable from %d on", h.version, h.oldest)
	}
}

// A header may have unknown fields.
func TestUnknownHeaderField(t *testing.T) {
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

// FuzzHeader parses arbitrary bytes.
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
