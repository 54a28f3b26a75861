package ledger

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A referenceTurn is a turn as the reference finds it, in two passes over a whole file:
// where the turn must end, and then where its answer does.
type referenceTurn struct {
	prompt              *transcript.Entry
	ms, requests, calls uint64
}

// referenceTurns returns the turns that reading a file at rest counts, with all copies.
func referenceTurns(all []transcript.Entry) (found []referenceTurn) {
	var main []*transcript.Entry
	for i := range all {
		if !all[i].Sidechain {
			main = append(main, &all[i])
		}
	}
	for i, e := range main {
		if e.Prompt == nil || slices.Contains([]string{"local_command", "bash", transcript.Interruption}, e.Prompt.Kind) ||
			e.Prompt.Kind == "queued" && inProgress(main[:i]) >= 0 {
			continue
		}
		next := slices.IndexFunc(main[i+1:], isBoundary)
		closed := next >= 0
		if !closed {
			next = len(main) - i - 1
		}
		lines, ended := answerTo(main[i+1 : i+1+next])
		if t := turnOf(e, lines); t.requests > 0 && (ended || closed) {
			found = append(found, t)
		}
	}
	return found
}

// isBoundary reports whether no turn goes on beyond an entry.
func isBoundary(e *transcript.Entry) bool {
	return e.Prompt != nil && slices.Contains([]string{"text", "command", "sdk", transcript.Interruption}, e.Prompt.Kind)
}

// inProgress returns the index of the prompt whose turn is in progress after some
// lines, or -1.
func inProgress(before []*transcript.Entry) int {
	for i, e := range slices.Backward(before) {
		switch p := e.Prompt; {
		case p == nil || p.Kind == "local_command" || p.Kind == "bash":
			continue
		case p.Kind == transcript.Interruption:
			return -1
		case p.Kind == "queued":
			if began := inProgress(before[:i]); began >= 0 {
				i = began
			}
		}
		lines, ended := answerTo(before[i+1:])
		if ended || len(lines) > 0 && lines[len(lines)-1].APIError != nil {
			return -1
		}
		return i
	}
	return -1
}

// answerTo returns the lines of the answer at the beginning of some lines, without a
// boundary, and whether it ends in them.
func answerTo(after []*transcript.Entry) (answer []*transcript.Entry, ended bool) {
	var last transcript.Key
	var stated, asks bool // what any line of the latest message says: the turn ends, or goes on
	open := func() bool { return asks && !stated }
	for _, e := range after {
		m := e.Message
		another := m != nil && m.Key != last || e.APIError != nil || e.Turn != nil || e.Prompt != nil && e.Prompt.Kind == "queued"
		if another && !last.IsZero() && !open() {
			return answer, true
		}
		switch {
		case m != nil:
			if another {
				last, stated, asks = m.Key, false, false
			}
			stated = stated || slices.Contains([]string{"end_turn", "stop_sequence", "refusal"}, m.StopReason)
			asks = asks || len(e.Uses) > 0 || slices.Contains([]string{"tool_use", "pause_turn", "compaction"}, m.StopReason)
			answer = append(answer, e)
		case e.APIError != nil:
			return append(answer, e), !last.IsZero()
		case len(e.Results) > 0 && (last.IsZero() || open()):
			answer = append(answer, e)
		}
	}
	return answer, !last.IsZero() && !open()
}

func turnOf(prompt *transcript.Entry, lines []*transcript.Entry) referenceTurn {
	messages, calls := make(map[transcript.Key]bool), make(map[transcript.Key]bool)
	t, last := referenceTurn{prompt: prompt}, prompt.Time
	for _, e := range lines {
		last = max(last, e.Time)
		if e.Message == nil {
			continue
		}
		messages[e.Message.Key] = true
		for _, u := range e.Uses {
			calls[u.Key] = true
		}
	}
	t.ms, t.requests, t.calls = uint64(last-prompt.Time), uint64(len(messages)), uint64(len(calls))
	return t
}

// expectedTurns returns the sums over the turns of files, each once: of the first
// copies, the smallest and the largest.
func expectedTurns(files []*transcriptFile) (count uint64, first, least, most [3]uint64) {
	var turns [][]referenceTurn // the copies of each
	index := make(map[any]int)
	for _, f := range files {
		if f.file.Kind.IsAgent() {
			continue
		}
		for _, t := range referenceTurns(parsed(f.file, f.lines, 0, len(f.lines), birth).Entries) {
			uuid, text := any(t.prompt.UUID), any("text"+string(t.prompt.Prompt.TextKey[:]))
			i, ok := index[uuid]
			if !ok {
				i, ok = index[text]
			}
			if !ok {
				i = len(turns)
				turns = append(turns, nil)
			}
			index[uuid], index[text] = i, i
			turns[i] = append(turns[i], t)
		}
	}
	for _, copies := range turns {
		for j, number := range []func(t referenceTurn) uint64{
			func(t referenceTurn) uint64 { return t.ms },
			func(t referenceTurn) uint64 { return t.requests },
			func(t referenceTurn) uint64 { return t.calls },
		} {
			low, high := uint64(math.MaxUint64), uint64(0)
			for _, t := range copies {
				low, high = min(low, number(t)), max(high, number(t))
			}
			first[j] += number(copies[0])
			least[j] += low
			most[j] += high
		}
	}
	return uint64(len(turns)), first, least, most
}

// countedTurns returns the number of turns, and the sums of the histograms.
func countedTurns(t *testing.T, l *Ledger) (count uint64, sums [3]uint64) {
	t.Helper()
	releaseAll(l)
	all := values(l, "project")
	if n := all["claude_turns_total"]; n != nil {
		count = n[0]
	}
	for i, name := range turnHistograms {
		n := all[name]
		if n == nil {
			continue
		}
		if sums[i] = n[1]; n[0] != count {
			t.Errorf("%s has %d observations, want %d", name, n[0], count)
		}
	}
	return count, sums
}

// The turns of generated files read one after another, at rest or as they grow, are
// those of the reference.
func TestTurnReference(t *testing.T) {
	some := [4]uint64{}
	for seed := range uint64(testsize.Of(60, 20)) {
		for _, settle := range []int{afterFiles, atTheEnd, afterBatches} {
			r := newReplayer(seed, 0)
			want, first, least, most := expectedTurns(r.files)
			got, sums := countedTurns(t, r.readInOrder([]int{math.MaxInt32, 1, 3}[settle], settle))
			// A file that is only finalized at the end may count its last
			// turn later than a copy.
			if got != want || settle != atTheEnd && sums != first || !within(sums, least, most) {
				t.Fatalf("seed %d, settle %d: got %d turns with %d, want %d with %d", seed, settle, got, sums, want, first)
			}
			some = [4]uint64{some[0] + got, some[1] + sums[0], some[2] + sums[1], some[3] + sums[2]}
		}
	}
	if slices.Min(some[:]) == 0 {
		t.Errorf("got %d in all: the generator writes no turns", some)
	}
}

func within(sums, least, most [3]uint64) bool {
	for i, n := range sums {
		if n < least[i] || n > most[i] {
			return false
		}
	}
	return true
}

// In any order, with files that are read again and ledgers that are saved and reopened
// between any two steps, each turn is counted once. Which copy counts depends on the
// order where a fork was taken in the middle of a turn, and nowhere else.
func TestTurnsInAnyOrder(t *testing.T) {
	exact := 0
	for seed := range seeds() {
		want, _, least, most := expectedTurns(newReplayer(seed, 0).files)
		for order := range uint64(4) {
			l := New(testOptions(), birth)
			for i, s := range newReplayer(seed, order).readAll(1+int(order)*3, order%2 == 0, true) {
				if s(l); i%23 == 0 {
					l = reopened(t, l)
				}
			}
			if got, sums := countedTurns(t, l); got != want || !within(sums, least, most) {
				t.Fatalf("seed %d, order %d: got %d turns with %d, want %d with %d to %d", seed, order, got, sums, want, least, most)
			}
			if least == most {
				exact++
			}
		}
	}
	if exact < testsize.Of(10, 4) {
		t.Errorf("got %d trees without a fork in the middle of a turn, want some", exact)
	}
}

// The turns of transcripts from outside the repository, in CCWATCHD_SESSIONS, are those
// of the reference.
func TestTurnsOfSessions(t *testing.T) {
	dir := os.Getenv("CCWATCHD_SESSIONS")
	if dir == "" {
		t.Skip("needs transcripts from outside the repository: set CCWATCHD_SESSIONS to their directory")
	}
	r := newReplayer(0, 0)
	r.files = nil
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !transcript.IsTranscript(d.Name()) {
			return err
		}
		b, err := os.ReadFile(path)
		lines := bytes.Split([]byte(strings.TrimSuffix(string(b), "\n")), []byte("\n"))
		r.files = append(r.files, &transcriptFile{file: testFile(FileID(len(r.files)+1), path), lines: lines})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want, first, _, _ := expectedTurns(r.files)
	got, sums := countedTurns(t, r.readInOrder(100, afterFiles))
	if got != want || sums != first {
		t.Errorf("got %d turns with %d, want %d with %d", got, sums, want, first)
	}
	t.Log(fmt.Sprint(got, " turns with ", sums))
}
