package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
)

// Files of an older format are passed on with their format, and are never appended to:
// the next write is a snapshot.
func TestOlderFormat(t *testing.T) {
	const newest = Format + 1
	d := sample(t)
	for _, file := range files { // only this file has the older format
		t.Run(file.name, func(t *testing.T) {
			upgraded := maps.Clone(d)
			for _, other := range files {
				if other.name != file.name {
					upgraded[other.name] = ofFormat(d[other.name], other.magic, newest)
				}
			}
			dir := upgraded.write(t)
			s, err := openFormat(dir, newest)
			if err != nil {
				t.Fatal(err)
			}
			formats := make(map[string]uint32)
			var f fold
			restore := func(format uint32, b []byte) error { formats[string(b)] = format; return f.restore(format, b) }
			apply := func(format uint32, b []byte) error { formats[string(b)] = format; return f.apply(format, b) }
			if r, err := s.Load(restore, apply); err != nil || f.String() != "a,b,c,ddd,e" || len(r.Damage) > 0 {
				t.Fatalf("loaded %q, %v, %v", f.String(), r.Damage, err)
			}
			for _, content := range []struct{ file, text string }{{"state", "a,b"}, {"journal-1", "c"}, {"journal-1", "ddd"}, {"journal-2", "e"}} {
				want := newest
				if content.file == file.name {
					want = Format
				}
				if got := formats[content.text]; got != want {
					t.Errorf("%q has format %d, want %d", content.text, got, want)
				}
			}
			if s.Resume() {
				t.Error("resumed the journal of another format")
			}
			commit(t, s, rotate(t, s), f.String())
			appendFrames(t, s, "x")
			closeStore(t, s)
			if _, err := Open(dir); !errors.As(err, new(*VersionError)) {
				t.Errorf("opened by the older version: got %v, want a *VersionError", err)
			}
			if s, err = openFormat(dir, newest); err != nil {
				t.Fatal(err)
			}
			if f := mustLoad(t, s); f.String() != "a,b,c,ddd,e,x" || !s.Resume() {
				t.Errorf("loaded %q, want to resume all frames", f.String())
			}
			closeStore(t, s)
		})
	}
}

// Content of an older format that cannot be decoded is refused by name and left
// unchanged, not quarantined as damaged.
func TestOlderContent(t *testing.T) {
	for failing, reason := range map[string]error{
		"a,b": table.ErrCorrupt, "c": fmt.Errorf("corrupt encoding: %w", table.ErrUnsupported), "ddd": table.ErrCorrupt,
	} {
		dir := sample(t).write(t)
		s, err := openFormat(dir, Format+1)
		if err != nil {
			t.Fatal(err)
		}
		decode := func(_ uint32, b []byte) error {
			if string(b) == failing {
				return reason
			}
			return nil
		}
		before := read(t, dir)
		_, err = s.Load(decode, decode)
		want := fmt.Sprintf("format %d: written by a development version of that format: corrupt encoding: install that version again, or remove %s (", Format, dir)
		if !errors.As(err, new(*VersionError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", failing, err, want)
		}
		if got := read(t, dir); !maps.Equal(got, before) {
			t.Errorf("%q: got files %s, want %s", failing, got.names(), before.names())
		}
		closeStore(t, s)
	}
}
