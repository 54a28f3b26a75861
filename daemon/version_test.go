package daemon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// The layout of state files.
const (
	magicLength = 16
	frameLength = 12 // precedes the header and each step
	headerAt    = magicLength + frameLength
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// setVersion returns a change of a state file that sets its version and the oldest
// version that can read it, and its content unless edit is nil.
func setVersion(file func(testing.TB, string) string, version, oldest uint32, edit func(state []byte) []byte) stateChange {
	return func(t testing.TB, dir string) error {
		name := file(t, dir)
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		end := headerAt + int(binary.LittleEndian.Uint32(b[magicLength:]))
		if b[headerAt] != 0x08 || b[headerAt+2] != 0x10 {
			t.Fatalf("%s has another header: %x", name, b[headerAt:end])
		}
		b[headerAt+1], b[headerAt+3] = byte(version), byte(oldest)
		binary.LittleEndian.PutUint32(b[magicLength+4:], checksum(b[headerAt:end]))
		binary.LittleEndian.PutUint32(b[magicLength+8:], checksum(b[magicLength:magicLength+8]))
		if edit != nil {
			b = append(b[:end:end], edit(b[end:len(b)-4])...)
			b = binary.LittleEndian.AppendUint32(b, checksum(b))
		} else if filepath.Base(name) == "state" {
			binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
		}
		return os.WriteFile(name, b, 0o600)
	}
}

// crashWithChangedState returns a harness with the state directory of a daemon that has
// crashed after it counted 3 replies of 2 sessions, with some changes.
func crashWithChangedState(old *harness, changes ...stateChange) *harness {
	old.Helper()
	old.Write(fileA, replies("a", 2))
	old.start()
	old.Append(fileA, replies("b", 1))
	old.waitFor(counts(3, 2))
	h := old.withState(old.TempDir())
	old.copyState(h.stateDir, nil)
	old.stop()
	for _, change := range changes {
		h.Must(change(h, h.stateDir))
	}
	return h
}

// unknownStep returns a step that no version has.
func unknownStep(more ...byte) []byte {
	return append(protowire.AppendString(protowire.AppendTag(nil, 77, protowire.BytesType), "news"), more...)
}

// A state that requires a newer version is rejected and stays unchanged.
func TestStateOfNewerVersion(t *testing.T) {
	const v = checkpoint.Version
	isVersionError := func(err error) bool { return errors.As(err, new(*checkpoint.VersionError)) }
	isUnsupported := func(err error) bool { return errors.Is(err, codec.ErrUnsupported) }
	type testCase struct {
		change stateChange
		want   func(error) bool
	}
	runCases(t, map[string]testCase{
		"snapshot": {setVersion(snapshotPath, v+2, v+1, nil), isVersionError},
		"journal":  {setVersion(newestJournal, v+2, v+1, nil), isVersionError},
		"step":     {appendStep(unknownStep()), isUnsupported},
		"layout of keys": {setVersion(snapshotPath, v+1, v, func(state []byte) []byte {
			return bytes.Replace(state, []byte{0x08, 1, 0x1a}, []byte{0x08, 2, 0x1a}, 1)
		}), isUnsupported},
	}, func(old *harness, tt testCase) {
		h := crashWithChangedState(old, tt.change)
		before := transcripttest.ReadTree(h, h.stateDir)
		if _, err := New(h.options()); !tt.want(err) {
			h.Errorf("New: got %v", err)
		}
		after := transcripttest.ReadTree(h, h.stateDir)
		for name := range before {
			if after[name] != before[name] {
				h.Errorf("%s was changed", name)
			}
		}
	})
}

// What a newer version has counted and this one does not know is kept for that version,
// and everything else is counted on.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	const v = checkpoint.Version
	family := namedMessage(26, "claude_futures_total", unknownField("series of a new family"))
	keys := namedMessage(17, "future", unknownField("keys of a new kind"))
	label := namedMessage(3, "effort", unknownField("values of a new label"))
	part := unknownField("a new part of the state")
	h := crashWithChangedState(newHarness(t),
		setVersion(snapshotPath, v+1, v, func(state []byte) []byte {
			return append(mapFields(state, func(n protowire.Number, field []byte) []byte {
				if n != 4 {
					return field
				}
				return message(n, insertFields(body(field), label, keys, family))
			}), part...)
		}),
		setVersion(newestJournal, v+1, v, nil),
		appendStep(unknownStep(protowire.AppendVarint(protowire.AppendTag(nil, 1000, protowire.VarintType), 1)...)))
	h.start()
	h.waitFor(counts(3, 2))
	h.Append(fileA, replies("c", 2))
	h.waitFor(counts(5, 3))
	h.checkMetric(stateDamaged, 0)
	h.restart()
	h.waitFor(counts(5, 3))
	h.stop()
	state := transcripttest.ReadTree(t, h.stateDir)["state"]
	for _, want := range [][]byte{family, keys, label, part} {
		if !strings.Contains(state, string(want)) {
			t.Errorf("%q was lost", want)
		}
	}
}

// namedMessage is a message with a name and other fields.
func namedMessage(n protowire.Number, name string, more []byte) []byte {
	return message(n, append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name), more...))
}

// unknownField is a field that no version has.
func unknownField(value string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, protowire.MaxValidNumber, protowire.BytesType), value)
}

// insertFields inserts fields into a message, each after those with its number.
func insertFields(m []byte, fields ...[]byte) []byte {
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

// The state of an older version that has crashed is complete. It is replaced by a
// snapshot and a journal of this version: journals of two versions are not mixed.
func TestCrashOfOlderVersion(t *testing.T) {
	t.Parallel()
	const v = checkpoint.Version
	h := crashWithChangedState(newHarness(t), setVersion(snapshotPath, v-1, v-1, nil), setVersion(newestJournal, v-1, v-1, nil))
	before := transcripttest.ReadTree(t, h.stateDir)
	h.start()
	h.waitFor(counts(3, 2))
	after := transcripttest.ReadTree(t, h.stateDir)
	for _, name := range []string{"state", filepath.Base(newestJournal(t, h.stateDir))} {
		if after[name] == before[name] || after[name][headerAt+1] != byte(v) {
			t.Errorf("%s has version %d, want %d", name, after[name][headerAt+1], v)
		}
	}
	h.checkMetric(stateDamaged, 0)
}
