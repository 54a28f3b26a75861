package daemon

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// The layout of state files.
const (
	magicLength  = 15
	formatLength = 4 + 4 // the format and a checksum
	headerFrame  = magicLength + formatLength
	frameLength  = 12 // precedes the header and the content of each frame
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// editState returns a change of a state file that keeps its checksums right.
func editState(file func(testing.TB, string) string, edit func(b []byte) []byte) stateChange {
	return func(t testing.TB, dir string) error {
		name := file(t, dir)
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		b = edit(b)
		binary.LittleEndian.PutUint32(b[magicLength+4:], checksum(b[:magicLength+4]))
		if name == snapshotPath(t, dir) {
			binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
		}
		return os.WriteFile(name, b, 0o600)
	}
}

// setFormat sets the format of a state file.
func setFormat(b []byte) []byte {
	binary.LittleEndian.PutUint32(b[magicLength:], checkpoint.Format+1)
	return b
}

// crashWithChangedState returns a harness with a changed state directory, from a daemon
// that crashed after it counted 3 replies in 2 sessions.
func crashWithChangedState(old *harness, change stateChange) *harness {
	old.Helper()
	old.Write(fileA, replies("a", 2))
	old.start()
	old.Append(fileA, replies("b", 1))
	old.waitFor(counts(3, 2))
	h := old.withState(old.TempDir())
	old.copyState(h.stateDir, nil)
	old.stop()
	h.Must(change(h, h.stateDir))
	return h
}

// A state that this version cannot read is refused and stays unchanged.
func TestStateOfOtherVersion(t *testing.T) {
	unknown := protowire.AppendString(protowire.AppendTag(nil, 77, protowire.BytesType), "news")
	runCases(t, map[string]stateChange{
		"snapshot": editState(snapshotPath, setFormat),
		"journal":  editState(newestJournal, setFormat),
		"frame":    appendFrame(unknown),
		"development": func(t testing.TB, dir string) error {
			return os.WriteFile(newestJournal(t, dir), []byte("ccwatchd steps 2"), 0o600)
		},
	}, func(old *harness, change stateChange) {
		h := crashWithChangedState(old, change)
		before := transcripttest.ReadTree(h, h.stateDir)
		_, err := New(h.options())
		if version, ok := errors.AsType[*checkpoint.VersionError](err); !ok || version.Dir != h.stateDir {
			h.Errorf("New: got %v, want a *VersionError", err)
		}
		after := transcripttest.ReadTree(h, h.stateDir)
		for name := range before {
			if after[name] != before[name] {
				h.Errorf("%s was changed", name)
			}
		}
	})
}

// The error about inconsistent rows states a remedy.
func TestStateWithInvalidRows(t *testing.T) {
	t.Parallel()
	const groups, itself = 18, "\x04\x01\x08\x01" // a file that is its own parent in the table of groups
	frame := protowire.AppendString(protowire.AppendTag(nil, groups, protowire.BytesType), itself)
	h := crashWithChangedState(newHarness(t), appendFrame(frame))
	_, err := New(h.options())
	if err == nil || !strings.Contains(err.Error(), "remove "+h.stateDir) {
		t.Errorf("New: got %v, want an error that states what to do", err)
	}
}
