package state

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// decodeState restores a state as at a start.
func decodeState(b []byte) (*fold, error) {
	s := newFold(ledger.Options{}, 1)
	c := codec.NewReader(b)
	s.code(c)
	return s, c.Done()
}

func encodedState(s *fold) []byte {
	c := codec.NewWriter(nil)
	s.code(c)
	return c.Bytes()
}

// someStates returns encoded states: an empty one, one with a value in every field, and
// some made from transcripts, including pending messages.
func someStates(t testing.TB) [][]byte {
	t.Helper()
	o := ledgertest.Options()
	everything := newFold(o, 1)
	for _, k := range kinds(t) {
		example(k).apply(everything)
	}
	held := transcript.Entry{Type: "assistant", Message: &transcript.Message{
		Key: transcript.KeyOf("held"), Model: "m", Iterations: []transcript.Iteration{{Model: "a"}, {Model: "b", Usage: transcript.Usage{Output: 5}}},
	}}
	(&openStep{file: ledger.File{ID: 1000, Kind: transcript.Main}, path: transcript.KeyOf("path")}).apply(everything)
	(&batchStep{batch: ledger.Batch{File: 1000, Entries: []transcript.Entry{held}}}).apply(everything)
	charged := transcript.Entry{Type: "assistant", Message: &transcript.Message{
		Key: transcript.KeyOf("charged"), Model: "opus", StopReason: "end_turn", Usage: transcript.Usage{Input: 1 << 33},
	}}
	(&batchStep{batch: ledger.Batch{File: 1000, Entries: []transcript.Entry{charged}}, settle: true}).apply(everything)
	aside := transcript.Entry{Type: "assistant", Sidechain: true, Message: &transcript.Message{Key: transcript.KeyOf("aside"), Model: "opus"}}
	(&batchStep{batch: ledger.Batch{File: 1000, Entries: []transcript.Entry{aside}}}).apply(everything)
	live := transcript.Entry{Type: "user", Time: testTime, Session: transcript.KeyOf("session", "live")}
	(&batchStep{batch: ledger.Batch{File: 1000, Now: testTime, Entries: []transcript.Entry{live}}}).apply(everything)
	for _, id := range []ledger.FileID{1001, 1002} { // copies of one sub-agent
		batch := ledger.Batch{File: id, Entries: []transcript.Entry{{Type: "user", Session: transcript.KeyOf("session", "s")}}}
		(&openStep{file: ledger.File{ID: id, Kind: transcript.Task}, path: transcript.KeyOf("path", string(rune(id)))}).apply(everything)
		(&batchStep{batch: batch}).apply(everything)
		(&finalizeStep{id: id}).apply(everything)
	}
	all := [][]byte{encodedState(newFold(ledger.Options{}, 1)), encodedState(everything)}
	for seed := range uint64(3) {
		s := newFold(o, 1)
		of := transcripttest.Generate(seed, transcripttest.Options{Size: 1})
		for i, name := range of.Names() {
			lines := slices.Collect(strings.Lines(of[name]))
			id := ledger.FileID(i + 1)
			(&openStep{file: ledger.File{ID: id, Kind: transcript.KindOf(name), Name: transcript.NameKey(name)}, path: transcript.KeyOf("path", name), identity: tailer.ID{Device: 1, Inode: uint64(id)}}).apply(s)
			mark, err := tailer.NewFingerprint(strings.NewReader(of[name]), int64(len(of[name])))
			if err != nil {
				t.Fatal(err)
			}
			(&batchStep{batch: batchOf(id, lines), fingerprint: mark, modified: testTime}).apply(s)
		}
		all = append(all, encodedState(s))
	}
	return all
}

// decodeInBounds decodes a state and fails if that allocates memory out of proportion
// to the number of bytes.
func decodeInBounds(t *testing.T, b []byte) (s *fold, err error) {
	t.Helper()
	before := allocated()
	s, err = decodeState(b)
	if took, limit := allocated()-before, uint64(1<<20+128*len(b)); took > limit {
		t.Errorf("decoding %d bytes allocated %d bytes, want at most %d", len(b), took, limit)
	}
	return s, err
}

// A false length anywhere in a state does not allocate memory for it.
func TestFalseLengths(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for _, b := range someStates(t) {
		for _, claim := range []uint64{1 << 10, 1 << 16, 1 << 20, 1e9, 1 << 40, 1<<64 - 1} {
			length := binary.AppendUvarint(nil, claim)
			for at := 0; at < len(b); at += 1 + len(b)/300 {
				// The zeros after it decode as empty elements.
				corrupted := append(append(append([]byte(nil), b[:at]...), length...), make([]byte, 1<<16)...)
				if _, err := decodeInBounds(t, corrupted); t.Failed() {
					t.Fatalf("%d at byte %d of %d: %v", claim, at, len(b), err)
				}
			}
		}
	}
}

// Many nearly empty messages in any list of the state do not allocate memory out of
// proportion.
func TestManyEmptyMessages(t *testing.T) {
	const size = 1 << 16
	for field := range protowire.Number(28) {
		for _, element := range []string{"", "\x08\x01", "\x0a\x01x", "\x78\x01", "\x22\x00", "\x32\x00", "\x0a\x01x\x32\x00"} {
			one := message(field+1, []byte(element))
			many := bytes.Repeat(one, size/len(one))
			for _, b := range [][]byte{many, message(5, many), message(5, message(field+1, many))} {
				if _, err := decodeInBounds(t, b); t.Failed() {
					t.Fatalf("field %d with %q: %v", field+1, element, err)
				}
			}
		}
	}
}

// FuzzState restores a state from arbitrary bytes, as if their checksum were correct,
// and applies steps to it. Memory stays in proportion to the bytes.
func FuzzState(f *testing.F) {
	for _, b := range someStates(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeInBounds(t, b)
		if err != nil {
			return
		}
		again, err := decodeState(encodedState(s))
		if err != nil {
			t.Fatalf("a restored state cannot be restored after encoding: %v", err)
		}
		for _, k := range kinds(t) {
			example(k).apply(again)
		}
		again.files.unseen(nil)
		again.ledger.SnapshotInto(new(ledger.Snapshot), 1)
	})
}

// allocated returns the total number of allocated bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
