package daemon

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// decodeState restores a state as a start does.
func decodeState(b []byte) (*state, error) {
	s := newState(ledger.Options{}, 1)
	c := codec.NewReader(b)
	s.code(c)
	return s, c.Done()
}

func encodedState(s *state) []byte {
	c := codec.NewWriter(nil)
	s.code(c)
	return c.Bytes()
}

// someStates are encodings of states: of an empty one, of one with something in
// every place, and of some that came from transcripts, with all that was left open.
func someStates(t testing.TB) [][]byte {
	t.Helper()
	o := settingsFor().Ledger
	everything := newState(o, 1)
	for _, k := range kinds(t) {
		example(k).apply(everything)
	}
	held := transcript.Entry{Type: "assistant", Message: &transcript.Message{
		Key: transcript.KeyOf("held"), Model: "m", Iterations: []transcript.Iteration{{Model: "a"}, {Model: "b", Usage: transcript.Usage{Output: 5}}},
	}}
	(&openStep{file: ledger.File{ID: 1000, Kind: transcript.Main}, path: transcript.KeyOf("path")}).apply(everything)
	(&readStep{batch: ledger.Batch{File: 1000, Entries: []transcript.Entry{held}}}).apply(everything)
	for _, id := range []ledger.FileID{1001, 1002} { // copies of one sub-agent
		said := ledger.Batch{File: id, Entries: []transcript.Entry{{Type: "user", Session: transcript.KeyOf("session", "s")}}}
		(&openStep{file: ledger.File{ID: id, Kind: transcript.Task}, path: transcript.KeyOf("path", string(rune(id)))}).apply(everything)
		(&readStep{batch: said}).apply(everything)
		(&quietStep{id: id}).apply(everything)
	}
	all := [][]byte{encodedState(newState(ledger.Options{}, 1)), encodedState(everything)}
	for seed := range uint64(3) {
		dir := t.TempDir()
		generate(seed, options{size: 1}).write(t, dir)
		s := newState(o, 1)
		f := newFollower(&shared{state: s}, tailer.DefaultMaxLine, time.Now)
		f.configure(labeller{}, []Source{{Path: dir}})
		found, errs := watcher.Walk(t.Context(), f.watching())
		if errs != nil || len(found) == 0 {
			t.Fatal(found, errs)
		}
		roots := f.openRoots()
		for _, one := range found {
			if err := f.follow(t.Context(), roots, one.File); err != nil {
				t.Fatal(err)
			}
		}
		roots.close()
		all = append(all, encodedState(s))
	}
	return all
}

// atMost fails where restoring a state takes memory out of proportion to its bytes.
func atMost(t *testing.T, b []byte) (s *state, err error) {
	t.Helper()
	before := allocated()
	s, err = decodeState(b)
	if took, limit := allocated()-before, uint64(1<<20+128*len(b)); took > limit {
		t.Errorf("%d bytes took %d of memory, want %d at most", len(b), took, limit)
	}
	return s, err
}

// A state in which any one number is a length that lies takes no memory for it.
func TestStateThatLies(t *testing.T) {
	for _, b := range someStates(t) {
		for _, claim := range []uint64{1 << 10, 1 << 16, 1 << 20, 1e9, 1 << 40, 1<<64 - 1} {
			lie := binary.AppendUvarint(nil, claim)
			for at := 0; at < len(b); at += 1 + len(b)/300 {
				// What comes behind it is zeros, each of which is something that is empty.
				spoilt := append(append(append([]byte(nil), b[:at]...), lie...), make([]byte, 1<<16)...)
				if _, err := atMost(t, spoilt); t.Failed() {
					t.Fatalf("%d at byte %d of %d: %v", claim, at, len(b), err)
				}
			}
		}
	}
}

// Many messages with next to nothing in them take no memory out of proportion, in whatever
// list of the state they are.
func TestStateOfManyEmptyMessages(t *testing.T) {
	const size = 1 << 16
	for field := range protowire.Number(22) {
		for _, element := range []string{"", "\x08\x01", "\x0a\x01x", "\x78\x01", "\x22\x00", "\x32\x00", "\x0a\x01x\x32\x00"} {
			one := message(field+1, []byte(element))
			many := bytes.Repeat(one, size/len(one))
			for _, b := range [][]byte{many, message(5, many), message(5, message(field+1, many))} {
				if _, err := atMost(t, b); t.Failed() {
					t.Fatalf("field %d with %q: %v", field+1, element, err)
				}
			}
		}
	}
}

// FuzzState restores a state from any bytes, as if their checksum were right, and
// goes on with what comes out. That takes memory in proportion to the bytes.
func FuzzState(f *testing.F) {
	for _, b := range someStates(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := atMost(t, b)
		if err != nil {
			return
		}
		again, err := decodeState(encodedState(s))
		if err != nil {
			t.Fatalf("what was restored is saved as what cannot be: %v", err)
		}
		for _, k := range kinds(t) {
			example(k).apply(again)
		}
		again.files.unmet(nil)
		again.ledger.Fill(new(ledger.Snapshot), 1)
	})
}
