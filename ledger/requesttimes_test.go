package ledger

import (
	"fmt"
	"strings"
	"testing"
)

// isOfRequestTimes reports whether a series is of a histogram of the times of requests.
// Its sums and buckets contain the copies of messages that ended first.
func isOfRequestTimes(series string) bool {
	return strings.HasPrefix(series, "claude_request_duration_seconds") || strings.HasPrefix(series, "claude_request_first_block_seconds")
}

// dropTimedOutput deletes the series that depend entirely on which copies of messages
// ended first.
func dropTimedOutput(all map[string][]uint64) {
	for series := range all {
		if strings.HasPrefix(series, "claude_request_timed_") {
			delete(all, series)
		}
	}
}

// requestLine returns a line at a second of a minute.
func requestLine(second int, rest string) string {
	return fmt.Sprintf(`{"uuid":"u%d","timestamp":"2026-05-01T10:00:%02d.000Z","sessionId":"s",%s}`, second, second, rest)
}

func askedAt(second int) string {
	return requestLine(second, `"type":"user","message":{"content":"x"}`)
}

func answeredAt(second int, id string) string {
	return requestLine(second, fmt.Sprintf(`"type":"assistant","message":{"id":%q,"model":"m","stop_reason":"end_turn","usage":{"output_tokens":5}}`, id))
}

// requestTimes returns the number of observed requests, and the sums of their durations
// and of the times to their first blocks in seconds.
func requestTimes(l *Ledger) [3]uint64 {
	releaseAll(l)
	all := values(l)
	took, first := all["claude_request_duration_seconds model=m"], all["claude_request_first_block_seconds model=m"]
	if took == nil {
		return [3]uint64{}
	}
	return [3]uint64{took[0], took[1] / 1000, first[1] / 1000}
}

// A request is observed when another message follows, or when its file is quiet, and
// then not again, whatever follows.
func TestRequestIsObservedOnce(t *testing.T) {
	f := testFile(1, "a.jsonl")
	l := New(testOptions(), birth)
	l.Open(f)
	for _, tt := range []struct {
		line    string
		quiet   bool
		pending bool
		want    [3]uint64
	}{
		{askedAt(0), false, false, [3]uint64{}},
		{answeredAt(2, "m1"), false, true, [3]uint64{}},
		{answeredAt(5, "m1"), false, true, [3]uint64{}},
		{askedAt(6), false, true, [3]uint64{}},
		{answeredAt(10, "m2"), false, true, [3]uint64{1, 5, 2}},
		{answeredAt(11, "m2"), true, false, [3]uint64{2, 10, 6}},
		{answeredAt(12, "m2"), true, false, [3]uint64{2, 10, 6}},
		{askedAt(13), true, false, [3]uint64{2, 10, 6}},
		{answeredAt(14, "m2"), true, false, [3]uint64{2, 10, 6}},
		{answeredAt(20, "m3"), true, false, [3]uint64{3, 17, 13}},
	} {
		l.AddBatch(batchOf(f, birth, tt.line))
		l.Settle()
		if tt.quiet {
			l.FinalizeFile(f.ID, birth)
		}
		l = reopened(t, l)
		if got := requestTimes(l); got != tt.want || l.HasPending(f.ID) != tt.pending {
			t.Errorf("after %s: got %d, pending %t, want %d, %t", tt.line, got, l.HasPending(f.ID), tt.want, tt.pending)
		}
	}
	l.Reset(f.ID, Truncated, birth)
	l.AddBatch(batchOf(f, birth, askedAt(0), answeredAt(2, "m1"), askedAt(6), answeredAt(10, "m2"), askedAt(20), answeredAt(21, "m4")))
	l.FinalizeFile(f.ID, birth)
	if got, want := requestTimes(l), [3]uint64{4, 18, 14}; got != want {
		t.Errorf("read again: got %d, want %d", got, want)
	}
}

// Reading a file again begins with nothing that was before, and a file that is
// forgotten leaves nothing.
func TestRequestsOfAFileReadAgain(t *testing.T) {
	f := testFile(1, "a.jsonl")
	for name, drop := range map[string]func(*Ledger){
		"reset":  func(l *Ledger) { l.Reset(f.ID, Replaced, birth) },
		"forget": func(l *Ledger) { l.Forget([]FileID{f.ID}, birth); l.Open(f) },
	} {
		l := newWith(askedAt(0), answeredAt(1, "m1"), askedAt(2))
		drop(l)
		if partOf[*requests](l).timings.Len()+partOf[*requests](l).causes.Len() > 0 {
			t.Errorf("%s: got %d timings and %d causes, want none", name, partOf[*requests](l).timings.Len(), partOf[*requests](l).causes.Len())
		}
	}
}
