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
)

// ofVersion makes a file that begins with magic one of another version.
func ofVersion(content, magic string, version uint32) string {
	b := []byte(content)
	binary.LittleEndian.PutUint32(b[len(magic):], version)
	if magic == snapshotMagic {
		return string(binary.LittleEndian.AppendUint32(b[:len(b)-4], checksum(b[:len(b)-4])))
	}
	binary.LittleEndian.PutUint32(b[journalHeader-4:], checksum(b[:journalHeader-4]))
	return string(b)
}

// A condition is what may have become of a part of a state.
type condition string

const (
	fine         condition = "fine"
	newer        condition = "newer"
	older        condition = "older"
	cut          condition = "newer and cut" // which is all that a snapshot can tell of it
	damagedPart  condition = "damaged"
	missing      condition = "missing"
	newerDamaged condition = "newer with damaged steps"
)

// in returns the part in a condition, and false if it is not there.
func (c condition) in(content, magic string) (string, bool) {
	switch c {
	case newer:
		return ofVersion(content, magic, Version+1), true
	case older:
		return ofVersion(content, magic, Version-1), true
	case newerDamaged:
		content = ofVersion(content, magic, Version+7)
		return flipped(content, 8*(len(content)-1)), true
	case cut:
		content = ofVersion(content, magic, Version+1)
		return content[:len(content)-1], true
	case damagedPart:
		return flipped(content, 8*len(magic)+70), true
	case missing:
		return "", false
	default:
		return content, true
	}
}

// A directory any part of which is from a newer version is refused and left exactly as
// it is, whatever has become of its other parts. Every other one is taken.
func TestNewerVersion(t *testing.T) {
	whole := sample(t)
	for _, snapshot := range []condition{fine, newer, older, cut, damagedPart, missing} {
		for _, first := range []condition{fine, newer, newerDamaged, older, damagedPart, missing} {
			for _, second := range []condition{fine, newer, newerDamaged, damagedPart, missing} {
				t.Run(fmt.Sprintf("snapshot %s, journals %s and %s", snapshot, first, second), func(t *testing.T) {
					d := maps.Clone(whole).with("state-1", "left").with("journal-7", "").with("state.damaged-1", "aside")
					refused := false
					for _, part := range []struct {
						name, magic string
						condition
					}{{"state", snapshotMagic, snapshot}, {"journal-1", journalMagic, first}, {"journal-2", journalMagic, second}} {
						refused = refused || part.condition == newer || part.condition == newerDamaged
						if content, ok := part.in(whole[part.name], part.magic); ok {
							d[part.name] = content
						} else {
							delete(d, part.name)
						}
					}
					d[pidName] = "12345\n"
					if first == second { // as if it had been copied
						delete(d, pidName)
						delete(d, lockName)
					}
					if !refused {
						if _, _, err := load(t, d.write(t)); err != nil {
							t.Errorf("it is refused: %v", err)
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
// in it changes.
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
	if !errors.As(err, &version) || !strings.Contains(err.Error(), fmt.Sprintf("newer version (format %d, this one knows %d): install", version.Found, Version)) {
		t.Errorf("got %v, want that a newer version wrote it", err)
	}
	if after := read(t, dir); !maps.Equal(after, d) {
		t.Errorf("there are %s, and were %s, or their content is another one", after.names(), d.names())
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.ModTime().Equal(before) {
			t.Errorf("%q was changed: %v", name, err)
		}
	}
}

// A state that a newer version writes after it was looked at first, and before the lock
// is ours, is refused too.
func TestNewerVersionMeanwhile(t *testing.T) {
	d := sample(t)
	d[snapshotName], _ = newer.in(d[snapshotName], snapshotMagic)
	d[pidName] = "12345\n"
	dir := d.write(t)
	s, err := openChecked(dir, refuseNewer)
	if err == nil {
		_ = s.Close()
	}
	if !errors.As(err, new(*VersionError)) {
		t.Errorf("got %v, want that a newer version wrote it", err)
	}
	if after := read(t, dir); !maps.Equal(after, d) {
		t.Errorf("there are %s", after.names())
	}
}

// Whatever version wrote it, a state can be removed on purpose.
func TestRemoveNewerVersion(t *testing.T) {
	d := sample(t)
	d[snapshotName], _ = newer.in(d[snapshotName], snapshotMagic)
	dir := d.write(t)
	if err := Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
