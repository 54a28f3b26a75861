package daemon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/codec"
)

// Where things are in the files of a state.
const (
	magicLength = 16
	frameLength = 12
	headerAt    = magicLength + frameLength
)

func sumOf(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// rewritten makes a file of the state one of another version, with another content.
func rewritten(t *testing.T, name string, version, oldest uint32, change func(state []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	end := headerAt + int(binary.LittleEndian.Uint32(b[magicLength:]))
	if b[headerAt] != 0x08 || b[headerAt+2] != 0x10 {
		t.Fatalf("%s has another header: %x", name, b[headerAt:end])
	}
	b[headerAt+1], b[headerAt+3] = byte(version), byte(oldest)
	binary.LittleEndian.PutUint32(b[magicLength+4:], sumOf(b[headerAt:end]))
	binary.LittleEndian.PutUint32(b[magicLength+8:], sumOf(b[magicLength:magicLength+8]))
	if change != nil {
		b = append(b[:end:end], change(b[end:len(b)-4])...)
		b = binary.LittleEndian.AppendUint32(b, sumOf(b))
	} else if filepath.Base(name) == "state" {
		binary.LittleEndian.PutUint32(b[len(b)-4:], sumOf(b[:len(b)-4]))
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// crashed returns a copy of the state of a daemon that has counted something since
// its snapshot.
func crashed(t *testing.T, w *world) (dir string) {
	t.Helper()
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	w.add("p/a.jsonl", said("b", 1))
	w.shows(counted(3, 2))
	dir = w.TempDir()
	w.copyState(dir, nil)
	w.halt()
	return dir
}

// takeOver has the world go on with another state. To a server it is another daemon.
func (w *world) takeOver(state string) {
	w.state, w.scrapes = state, newScraper(w.TB)
}

// A state that requires a newer version is refused and left unchanged.
func TestStateOfANewerVersion(t *testing.T) {
	t.Parallel()
	const v = checkpoint.Version
	unknownStep := protowire.AppendString(protowire.AppendTag(nil, 77, protowire.BytesType), "news")
	for name, tt := range map[string]struct {
		change func(t *testing.T, dir string)
		is     error // nil for a *checkpoint.VersionError
	}{
		"the snapshot": {func(t *testing.T, dir string) { rewritten(t, filepath.Join(dir, "state"), v+2, v+1, nil) }, nil},
		"the journal":  {func(t *testing.T, dir string) { rewritten(t, newestJournal(t, dir), v+2, v+1, nil) }, nil},
		"a step":       {func(t *testing.T, dir string) { appendStep(t, dir, unknownStep) }, codec.ErrUnsupported},
		"the layout of keys": {func(t *testing.T, dir string) {
			rewritten(t, filepath.Join(dir, "state"), v+1, v, func(state []byte) []byte {
				return bytes.Replace(state, []byte{0x08, 1, 0x1a}, []byte{0x08, 2, 0x1a}, 1)
			})
		}, codec.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := crashed(t, w)
			tt.change(t, dir)
			before := contents(t, dir)
			w.takeOver(dir)
			_, err := New(w.options())
			if version := (*checkpoint.VersionError)(nil); tt.is == nil && !errors.As(err, &version) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("New = %v", err)
			}
			after := contents(t, dir)
			for name := range before {
				if after[name] != before[name] {
					t.Errorf("%s was changed", name)
				}
			}
		})
	}
}

// contents are the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// What a newer version has counted that this one does not know is there again when that
// version returns, and this one goes on with all that it knows.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	const v = checkpoint.Version
	w := newWorld(t)
	dir := crashed(t, w)
	family := part(26, "claude_futures_total", unknownField("series of a new family"))
	keys := part(17, "future", unknownField("keys of a new kind"))
	label := part(3, "effort", unknownField("values of a new label"))
	rewritten(t, filepath.Join(dir, "state"), v+1, v, func(state []byte) []byte {
		var fields [][]byte
		for len(state) > 0 {
			n, _, size := protowire.ConsumeField(state)
			field := state[:size]
			if n == 4 {
				field = message(4, inserted(body(field), label, keys, family))
			}
			fields, state = append(fields, field), state[size:]
		}
		return append(bytes.Join(fields, nil), unknownField("a new part of the state")...)
	})
	rewritten(t, newestJournal(t, dir), v+1, v, nil)
	skip := protowire.AppendString(protowire.AppendTag(nil, 77, protowire.BytesType), "news")
	appendStep(t, dir, protowire.AppendVarint(protowire.AppendTag(skip, 1000, protowire.VarintType), 1))
	w.takeOver(dir)
	w.start()
	w.shows(counted(3, 2))
	w.add("p/a.jsonl", said("c", 2))
	w.shows(counted(5, 3))
	if n := w.metric(damaged); n != 0 {
		t.Errorf("%v files are reported as damaged", n)
	}
	w.restart()
	w.shows(counted(5, 3))
	w.halt()
	b := contents(t, dir)["state"]
	for _, want := range [][]byte{family, keys, label, unknownField("a new part of the state")} {
		if !bytes.Contains([]byte(b), want) {
			t.Errorf("%q was lost", want)
		}
	}
}

func message(n protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), body)
}

func body(field []byte) []byte {
	_, _, size := protowire.ConsumeTag(field)
	b, _ := protowire.ConsumeBytes(field[size:])
	return b
}

// part is a message with a name and more.
func part(n protowire.Number, name string, more []byte) []byte {
	return message(n, append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name), more...))
}

// inserted puts fields into a message, each behind those with its number.
func inserted(m []byte, fields ...[]byte) []byte {
	for _, f := range fields {
		number, _, _ := protowire.ConsumeField(f)
		at := 0
		for at < len(m) {
			n, _, size := protowire.ConsumeField(m[at:])
			if n > number {
				break
			}
			at += size
		}
		m = slices.Concat(m[:at], f, m[at:])
	}
	return m
}

// What an older version has left when it crashed is all there, and the next thing that is
// written is a snapshot of this version: it never goes on with the journal of another one.
func TestCrashOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	const v = checkpoint.Version
	w := newWorld(t)
	dir := crashed(t, w)
	rewritten(t, filepath.Join(dir, "state"), v-1, v-1, nil)
	rewritten(t, newestJournal(t, dir), v-1, v-1, nil)
	before := contents(t, dir)
	w.takeOver(dir)
	w.start()
	w.shows(counted(3, 2))
	after := contents(t, dir)
	for _, name := range []string{"state", filepath.Base(newestJournal(t, dir))} {
		if after[name] == before[name] || after[name][headerAt+1] != byte(v) {
			t.Errorf("%s is of version %d", name, after[name][headerAt+1])
		}
	}
	if n := w.metric(damaged); n != 0 {
		t.Errorf("%v files are reported as damaged", n)
	}
}

// unknownField is a field that no version will ever have.
func unknownField(value string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, protowire.MaxValidNumber, protowire.BytesType), value)
}
