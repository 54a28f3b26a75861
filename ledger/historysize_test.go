package ledger

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A year is a year of heavy use: 1,000 messages a day in ten hours, in 20 projects with
// five models, half of them of sub-agents, each with a tool call.
type year struct {
	*rand.Rand
	ledger *Ledger
	files  FileID
}

const (
	dailyMessages  = 1000
	dailySessions  = 12
	keysKeptFor    = 60 // days
	sessionsAtOnce = 3
)

func newYear(fineHistory int64) *year {
	o := testOptions()
	o.FineHistory = fineHistory
	return &year{Rand: rand.New(rand.NewPCG(1, 1)), ledger: New(o, birth)}
}

func (y *year) key() transcript.Key { return randomKey(y.Rand) }

// day adds the sessions of a day, in batches that each take as long as a few messages.
func (y *year) day(begins int64) {
	const hours, perBatch = 10, 4
	first := y.files
	for range dailySessions {
		y.files++
		y.ledger.Open(File{ID: y.files, Kind: transcript.Main, Name: y.key()})
	}
	agents := y.files
	for range dailySessions {
		y.files++
		y.ledger.Open(File{ID: y.files, Kind: transcript.Task, Name: y.key()})
	}
	const batches = dailyMessages / perBatch
	for n := range int64(batches) {
		at := begins + 8*60*60*1000 + n*(hours*60*60*1000/batches)
		session := FileID(int(n)*(dailySessions-sessionsAtOnce+1)/batches + y.IntN(sessionsAtOnce))
		file := first + 1 + session
		if n%2 == 0 {
			file = agents + 1 + session
		}
		b := &Batch{File: file, Now: at + 1000, Bytes: 10_000}
		for range perBatch {
			b.Entries = append(b.Entries, y.entries(int(begins/dayMillis)*7+int(session), at)...)
		}
		y.ledger.AddBatch(b)
	}
	y.ledger.Settle()
}

// entries returns a prompt, a message with a tool call and its result, in the nth
// session.
func (y *year) entries(n int, at int64) []transcript.Entry {
	model, tool := [...]string{"opus", "sonnet", "haiku", "future", "old"}[n%5], fmt.Sprint("tool", y.IntN(12))
	line := transcript.Entry{
		Type: "user", Time: at, Project: fmt.Sprint("project", n%20), HasProject: true,
		Session: transcript.KeyOf("session", fmt.Sprint(n)), UUID: y.key(),
	}
	answer, result := line, line
	line.Prompt = &transcript.Prompt{Kind: "text", TextKey: y.key()}
	use := y.key()
	answer.Type, answer.UUID = "assistant", y.key()
	answer.Uses = []transcript.ToolUse{{Key: use, Name: tool}}
	answer.Message = &transcript.Message{
		Key: y.key(), Model: model, StopReason: "tool_use",
		Usage: transcript.Usage{Input: y.Uint64N(100), Output: y.Uint64N(2000), CacheRead: y.Uint64N(150_000), CacheWrite5m: y.Uint64N(5000)},
	}
	result.Results = []transcript.ToolResult{{Key: use, Bytes: y.Uint64N(20_000), Added: y.Uint64N(50)}}
	result.Time += 700
	return []transcript.Entry{line, answer, result}
}

// run adds all days. Every month it forgets old files, and saves the ledger.
func (y *year) run(days int) {
	var ends []FileID // of the days
	for day := range int64(days) {
		y.day((birth/dayMillis + day) * dayMillis)
		ends = append(ends, y.files)
		if day%30 == 29 || day == int64(days)-1 {
			y.forget(ends[:max(0, len(ends)-keysKeptFor)])
			encode(y.ledger)
		}
	}
}

// forget drops the files of days that ended with the given ones.
func (y *year) forget(ends []FileID) {
	if len(ends) == 0 {
		return
	}
	var old []FileID
	for id := range ends[len(ends)-1] {
		if y.ledger.files.Has(id + 1) {
			old = append(old, id+1)
		}
	}
	y.ledger.Forget(old, birth)
}

// sizeOfYear returns the ledger after some days, its size in memory, and the size of
// its state.
func sizeOfYear(days int, fineHistory int64) (l *Ledger, memory, state int) {
	before := heapInUse()
	y := newYear(fineHistory)
	y.run(days)
	memory = int(heapInUse()) - int(before)
	return y.ledger, memory, len(encode(y.ledger))
}

// The history of a heavy year takes at most 5.5 MiB of memory, and with it the state
// takes at most 10.5 MB; for 90 days it is 2.25 MiB and 7.3 MB. Two of the models have
// no price, which takes 25 bytes of the state for each of their messages.
func TestHistorySize(t *testing.T) {
	testsize.SkipRace(t, "counts a year")
	days := testsize.Of(365, 90)
	l, with, state := sizeOfYear(days, 62*dayMillis)
	if got := value(l, "claude_requests_total"); got != uint64(days*dailyMessages) {
		t.Fatalf("got %d messages, want %d", got, days*dailyMessages)
	}
	if message := misfit(l); message != "" {
		t.Fatal(message)
	}
	runtime.KeepAlive(l)
	l, without, plain := sizeOfYear(days, 0)
	runtime.KeepAlive(l)
	memory := with - without
	t.Logf("the state takes %d bytes, of which the history takes %d", state, state-plain)
	t.Logf("%d bytes of memory", memory)
	if limit := testsize.Of(11<<19, 9<<18); memory > limit || memory < (state-plain)/2 {
		t.Errorf("got %d bytes of memory, want at most %d, and not much less than in the state", memory, limit)
	}
	if limit := testsize.Of(10_500_000, 7_300_000); state > limit {
		t.Errorf("got a state of %d bytes, want at most %d", state, limit)
	}
}
