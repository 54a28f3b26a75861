package ledger

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// What is remembered takes little memory: once a catch-up is over, during it,
// and of files that nobody writes to any more.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("there is much to remember")
	}
	const many, files = 1_000_000, 10_000
	for _, tt := range []struct {
		name  string
		n     int
		line  func(r *rand.Rand) transcript.Entry
		hold  bool
		limit uint64 // bytes each
	}{
		{"message", many, randomMessage, false, 20},
		{"message in a catch-up", many / 5, randomMessage, true, 90}, // with its place in the queue
		{"tool call", many, randomTool, false, 20},
		{"prompt", many, randomPrompt, false, 20 * 2}, // two keys
		{"turn", many, randomTurn, false, 20},
		{"file and its session", files, randomSession, false, 80},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New(testOptions(), birth)
			r := rand.New(rand.NewPCG(1, 1))
			before := heap()
			for id := range files {
				l.Open(File{ID: FileID(id), Kind: transcript.Main, Path: randomKey(r)})
			}
			opened := heap()
			for i := range tt.n {
				id := FileID(i * files / tt.n)
				l.Read(&Batch{File: id, Now: birth, Entries: []transcript.Entry{tt.line(r)}})
			}
			if !tt.hold {
				l.Settle()
			}
			if tt.n == files { // the files are what is asked for
				opened = before
			}
			took := (heap() - opened) / uint64(tt.n)
			t.Logf("%d bytes each", took)
			if took > tt.limit {
				t.Errorf("%d take %d bytes each", tt.n, took)
			}
			runtime.KeepAlive(l)
		})
	}
}

// A line of a kind that was there before costs no memory but that of its keys.
func TestReadAllocatesNothing(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	b := &Batch{File: 1, Now: birth}
	for i := range 100 {
		queue := transcript.Entry{Type: "queue-operation", Time: birth + int64(i), QueueOperation: "enqueue"}
		b.Entries = append(b.Entries, messageEntry(i), toolEntry(i), queue, transcript.Entry{Type: "progress", Time: birth})
	}
	l.Read(b)
	l.Settle()
	// Everything is a copy now, and the file's own state is one allocation.
	if n := testing.AllocsPerRun(10, func() { l.Read(b) }); n > 1 {
		t.Errorf("%d lines cost %g allocations", len(b.Entries), n)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func randomKey(r *rand.Rand) (k transcript.Key) {
	binary.LittleEndian.PutUint64(k[:], r.Uint64())
	return k
}

// someProject is the name of one of twenty-six.
func someProject(r *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	i := r.IntN(len(letters))
	return letters[i : i+1]
}

// randomMessage is a message as most are, with much of the prompt read from the
// cache.
func randomMessage(r *rand.Rand) transcript.Entry {
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: someProject(r), Placed: true,
		Message: &transcript.Message{
			Key: randomKey(r), Model: "opus", StopReason: "end_turn",
			Usage: transcript.Usage{
				Input: r.Uint64N(100), Output: r.Uint64N(2000), CacheRead: r.Uint64N(150_000), CacheWrite5m: r.Uint64N(5000),
			},
		},
	}
}

func randomTool(r *rand.Rand) transcript.Entry {
	key := randomKey(r)
	return transcript.Entry{
		Type: "assistant", Time: birth, Project: "web", Placed: true,
		Uses: []transcript.ToolUse{{Key: key, Name: "Bash"}}, Results: []transcript.ToolResult{{Key: key, Bytes: 1000}},
	}
}

func randomPrompt(r *rand.Rand) transcript.Entry {
	return transcript.Entry{Type: "user", UUID: randomKey(r), Time: birth, Prompt: &transcript.Prompt{Kind: "text", TextKey: randomKey(r)}}
}

func randomTurn(r *rand.Rand) transcript.Entry {
	return transcript.Entry{Type: "system", UUID: randomKey(r), Time: birth, Turn: &transcript.Turn{Milliseconds: 5}}
}

func randomSession(r *rand.Rand) transcript.Entry {
	return transcript.Entry{Type: "user", Session: randomKey(r), Project: someProject(r), Placed: true}
}
