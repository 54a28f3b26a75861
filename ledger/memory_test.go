package ledger

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The memory of keys and files is limited, during a catch-up and after it.
func TestMemory(t *testing.T) {
	testsize.SkipRace(t, "allocates many keys")
	const many, files = 200_000, 10_000
	sessions := testsize.Of(many, 50_000)
	for _, tt := range []struct {
		name  string
		n     int
		line  func(r *rand.Rand) transcript.Entry
		hold  bool
		limit uint64 // bytes each
	}{
		{"message", many, randomMessage, false, 60},
		{"message without a price", many, randomUnpriced, false, 96},
		{"message in a catch-up", many, randomMessage, true, 100},          // with its key in heldMessages.ready, and 8 for its cache miss
		{"message with a short id", many, randomShortID, false, 60 + 2*38}, // of a line, and the latest of the id
		{"tool call", many, randomTool, false, 42},
		{"prompt", many, randomPrompt, false, 18*2 + 12}, // two keys, and what causes the next request of each file
		{"turn", many, randomTurn, false, 20},
		{"file and its session", files, randomSession, false, 300}, // 27 for the latest request, 7 for the latest time
		{"session in a catch-up", many, randomSession, true, 175},
		{"session and its message", sessions, randomTotalsLine, false, 320},
		{"live session", many, randomLiveSession, false, 180},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(testOptions(), birth)
			r := rand.New(rand.NewPCG(1, 1))
			before := heapInUse()
			for id := range files {
				l.Open(File{ID: FileID(id), Kind: transcript.Main, Name: randomKey(r)})
			}
			opened := heapInUse()
			for i := range tt.n {
				id := FileID(i * files / tt.n)
				l.AddBatch(&Batch{File: id, Now: birth, Entries: []transcript.Entry{tt.line(r)}})
			}
			if !tt.hold {
				l.Settle()
				l.Commit()
			}
			if tt.n == files { // measure the files
				opened = before
			}
			took := (heapInUse() - opened) / uint64(tt.n)
			t.Logf("%d bytes each", took)
			if took > tt.limit {
				t.Errorf("%d: got %d bytes each, want at most %[3]d", tt.n, took, tt.limit)
			}
			runtime.KeepAlive(l)
		})
	}
}

// The memory of made-up values is limited by the number and length of label values:
// models, while one message stays open, and the ids of live sessions. None of the
// models has a price.
func TestInventedNames(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	const many, live, long = 20_000, 100, 1 << 18
	l := New(testOptions(), birth)
	f := testFile(1, "a.jsonl")
	l.Open(f)
	l.Open(testFile(2, "b.jsonl"))
	open := transcript.Entry{Type: "assistant", Time: birth, Message: &transcript.Message{Key: transcript.KeyOf("open"), Model: "opus"}}
	l.AddBatch(&Batch{File: 2, Now: birth, Entries: []transcript.Entry{open}})
	before := heapInUse()
	for i := range many {
		e := messageEntry(i)
		e.Time = birth
		e.Message.Model = fmt.Sprintf("model-%0120d", i)
		if i < live {
			e.SessionID = fmt.Sprintf("%0*d", long, i)
			e.Session = transcript.KeyOf("session", e.SessionID)
		}
		l.AddBatch(&Batch{File: f.ID, Now: birth, Entries: []transcript.Entry{e}})
		l.Settle()
		l.Commit()
	}
	if took := int64(heapInUse()) - int64(before); took > 130*many {
		t.Errorf("%d models and %d ids of %d bytes: got %d bytes", many, live, long, took)
	}
	if n := l.messages.details.Len(); n > 2*minDetails {
		t.Errorf("got %d details for %d messages", n, l.messages.held.Len())
	}
	if got, want := value(l, "ccwatchd_label_overflow_total"), uint64(many-64); got != want {
		t.Errorf("got %d overflows, want %d", got, want)
	}
	if got, want := value(l, "claude_requests_total"), uint64(many); got != want {
		t.Errorf("got %d messages, want %d", got, want)
	}
	l.FinalizeFile(2, birth)
	// The held message has kept its recordDetails.
	if got := value(l, "claude_requests_total", counters.Other, "unknown", "main", "none"); got != 1 {
		t.Errorf("got %d held messages without a stop reason, want 1", got)
	}
}

// Lines with known keys and labels allocate nothing.
func TestReadAllocatesNothing(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	b := &Batch{File: 1, Now: birth}
	for i := range 100 {
		queue := transcript.Entry{Type: "queue-operation", Time: birth + int64(i), QueueOperation: "enqueue"}
		b.Entries = append(b.Entries, messageEntry(i), toolEntry(i), queue, transcript.Entry{Type: "progress", Time: birth})
	}
	l.AddBatch(b)
	l.Settle()
	// Everything is a copy now. The file state is one allocation.
	if n := testing.AllocsPerRun(10, func() { l.AddBatch(b) }); n > 1 {
		t.Errorf("%d lines: got %g allocations, want at most 1", len(b.Entries), n)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func randomKey(r *rand.Rand) (k transcript.Key) {
	binary.LittleEndian.PutUint64(k[:], r.Uint64())
	return k
}

// someProject returns one of 26 names.
func someProject(r *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	i := r.IntN(len(letters))
	return letters[i : i+1]
}

// randomMessage is a typical message, with most of the prompt read from the cache.
func randomMessage(r *rand.Rand) transcript.Entry {
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: someProject(r), HasProject: true,
		Message: &transcript.Message{
			Key: randomKey(r), Model: "opus", StopReason: "end_turn",
			Usage: transcript.Usage{
				Input: r.Uint64N(100), Output: r.Uint64N(2000), CacheRead: r.Uint64N(150_000), CacheWrite5m: r.Uint64N(5000),
			},
		},
	}
}

// randomShortID is a message of a gateway with another short id for each message.
func randomShortID(r *rand.Rand) transcript.Entry {
	e := randomMessage(r)
	e.Response = &transcript.Response{Key: e.Message.Key, ID: randomKey(r), Line: randomKey(r), Parent: randomKey(r), Final: true}
	return e
}

func randomUnpriced(r *rand.Rand) transcript.Entry {
	e := randomMessage(r)
	e.Message.Model, e.Session = "future", transcript.KeyOf("session", "s")
	return e
}

func randomTool(r *rand.Rand) transcript.Entry {
	key := randomKey(r)
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: "web", HasProject: true,
		Uses: []transcript.ToolUse{{Key: key, Name: "Bash"}}, Results: []transcript.ToolResult{{Key: key, Bytes: 1000}},
	}
}

func randomPrompt(r *rand.Rand) transcript.Entry {
	return transcript.Entry{Type: "user", UUID: randomKey(r), Time: birth, Prompt: &transcript.Prompt{Kind: "text", TextKey: randomKey(r)}}
}

func randomTurn(r *rand.Rand) transcript.Entry {
	return transcript.Entry{Type: "system", UUID: randomKey(r), Time: birth, Turn: &transcript.Turn{Milliseconds: 5}}
}

// randomLiveSession is a session with an id of the maximum length of a label.
func randomLiveSession(r *rand.Rand) transcript.Entry {
	id := fmt.Sprintf("%0128d", r.Uint64())
	return transcript.Entry{Type: "user", Time: birth, SessionID: id, Session: transcript.KeyOf("session", id), Project: someProject(r), HasProject: true}
}

// randomTotalsLine is a message of a session that is not live.
func randomTotalsLine(r *rand.Rand) transcript.Entry {
	e := randomMessage(r)
	e.Time, e.Session = birth-birth/100, randomKey(r)
	return e
}

func randomSession(r *rand.Rand) transcript.Entry {
	return transcript.Entry{Type: "user", Session: randomKey(r), Project: someProject(r), HasProject: true}
}
