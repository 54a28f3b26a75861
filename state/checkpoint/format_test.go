package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/table"
)

// files are the files of sample, with their magic.
var files = []struct{ name, magic string }{{"state", snapshotMagic}, {"journal-1", journalMagic}, {"journal-2", journalMagic}}

// ofFormat changes the format of a file that starts with the magic.
func ofFormat(content, magic string, format uint32) string {
	h, rest, err := parseHeader([]byte(content), magic, Format)
	if err != nil {
		panic(err)
	}
	h.format = format
	b := append(h.bytes(magic), rest...)
	if magic == snapshotMagic {
		binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(0, b[:len(b)-4]))
	}
	return string(b)
}

// A condition of a file in a state directory.
type condition string

const (
	fine         condition = "fine"
	newer        condition = "newer"
	newerCut     condition = "newer and cut"
	newerDamaged condition = "newer and damaged"
	development  condition = "development"
	damagedPart  condition = "damaged"
	missing      condition = "missing"
)

// applyTo returns the content of a file in that condition, and false if the file is
// missing.
func (c condition) applyTo(content, magic string) (string, bool) {
	switch c {
	case newer:
		return ofFormat(content, magic, Format+2), true
	case newerCut:
		return ofFormat(content, magic, Format+1)[:len(magic)+formatLength], true
	case newerDamaged:
		return flipped(ofFormat(content, magic, Format+7), 8*(len(magic)+formatLength)), true
	case development:
		old := map[string]string{snapshotMagic: "ccwatchd state 2", journalMagic: "ccwatchd steps 2"}
		return old[magic] + content[len(magic):], true
	case damagedPart:
		return flipped(content, 8*len(magic)), true // in the format
	case missing:
		return "", false
	default:
		return content, true
	}
}

// isRefused reports whether a file in that condition makes Open fail.
func (c condition) isRefused() bool {
	return c == development || strings.HasPrefix(string(c), string(newer))
}

// A directory with any file of a newer format, or of a development version, is refused
// and left unchanged, whatever the condition of its other files. Every other directory
// is accepted.
func TestRefusedFormat(t *testing.T) {
	original := sample(t)
	all := []condition{fine, newer, newerCut, newerDamaged, development, damagedPart, missing}
	for _, snapshot := range all {
		for _, first := range all {
			for _, second := range all {
				t.Run(fmt.Sprintf("snapshot %s, journals %s and %s", snapshot, first, second), func(t *testing.T) {
					d := original.with("state-1", "left").with("journal-7", "").with("state.damaged-1", "quarantined")
					for i, c := range []condition{snapshot, first, second} {
						name := files[i].name
						if content, ok := c.applyTo(original[name], files[i].magic); ok {
							d[name] = content
						} else {
							delete(d, name)
						}
					}
					d[pidName] = "12345\n"
					if first == second { // as in a copy
						delete(d, pidName)
						delete(d, lockName)
					}
					if slices.ContainsFunc([]condition{snapshot, first, second}, condition.isRefused) {
						d.isRefused(t)
					} else if _, _, err := load(t, d.write(t)); err != nil {
						t.Errorf("refused: %v", err)
					}
				})
			}
		}
	}
}

// isRefused checks that a directory is refused because of its format, and that nothing
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
	if version := (*VersionError)(nil); !errors.As(err, &version) || version.Dir != dir {
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

// The error states what to do.
func TestVersionErrorText(t *testing.T) {
	d := sample(t)
	for c, want := range map[condition]string{
		newer: fmt.Sprintf("cannot read state: format %d, this version reads up to %d: written by a newer version: install the newer version again, or remove "+
			"DIR (sessions are counted again if their transcripts still exist)", Format+2, Format),
		development: "cannot read state: written by a development version: remove DIR (sessions are counted again if their transcripts still exist)",
	} {
		content, _ := c.applyTo(d[snapshotName], snapshotMagic)
		dir := d.with(snapshotName, content).write(t)
		if _, err := Open(dir); strings.ReplaceAll(errorText(err), dir, "DIR") != want {
			t.Errorf("condition %v: got %v, want %s", c, err, want)
		}
	}
}

// A state that another process writes between the first check and the lock is refused
// too.
func TestRefusedBeforeLock(t *testing.T) {
	d := sample(t)
	d[snapshotName], _ = newer.applyTo(d[snapshotName], snapshotMagic)
	d[pidName] = "12345\n"
	dir := d.write(t)
	s := &Store{dir: dir, format: Format}
	err := s.open(s.refuse)
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
func TestRemoveRefused(t *testing.T) {
	for _, c := range []condition{newer, development} {
		d := sample(t)
		d[snapshotName], _ = c.applyTo(d[snapshotName], snapshotMagic)
		dir := d.write(t)
		if err := Remove(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the directory still exists: %v", c, err)
		}
	}
}

// An unknown part of a snapshot or frame is no damage.
func TestUnsupported(t *testing.T) {
	d := sample(t).with("state-1", "left")
	fails := func(uint32, []byte) error { return fmt.Errorf("table t: %w", table.ErrUnsupported) }
	var f fold
	for name, load := range map[string]func(*Store) (Report, error){
		"snapshot": func(s *Store) (Report, error) { return s.Load(fails, f.apply) },
		"frame":    func(s *Store) (Report, error) { return s.Load(f.restore, fails) },
	} {
		dir := d.write(t)
		s := open(t, dir)
		_, err := load(s)
		if version := (*VersionError)(nil); !errors.As(err, &version) || version.Dir != dir || !errors.Is(err, table.ErrUnsupported) {
			t.Errorf("%s: got %v, want a *VersionError", name, err)
		}
		closeStore(t, s)
		if after := read(t, dir).without(pidName); !maps.Equal(after, d.without(pidName)) {
			t.Errorf("%s: files changed: they are %s", name, after.names())
		}
	}
}

// FuzzHeader parses arbitrary bytes.
func FuzzHeader(f *testing.F) {
	h := header{format: Format, generation: 3, follows: 2, length: 100}
	f.Add(h.bytes(snapshotMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, rest, err := parseHeader(b, snapshotMagic, Format)
		if err == nil && (h.format == 0 || h.format > Format || h.size+len(rest) != len(b) || !bytes.Equal(h.bytes(snapshotMagic), b[:h.size])) {
			t.Errorf("%q has header %+v", b, h)
		}
	})
}
