package ledger

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// A growth is by how much a series grew in the interval that begins at a time.
type growth struct {
	start int64
	value uint64
}

// growthOf returns when the series of a family grew that have the given values among
// their labels.
func growthOf(l *Ledger, family string, labels ...string) (all []growth) {
	for _, f := range l.History().Families {
		for i := range f.Series {
			s := &f.Series[i]
			if f.Family.Name != family || slices.ContainsFunc(labels, func(v string) bool { return !slices.Contains(s.Labels, v) }) {
				continue
			}
			for _, in := range s.Increases() {
				all = append(all, growth{in.Start, in.Value})
			}
		}
	}
	return all
}

// when returns the beginnings of the intervals with growth of a family.
func when(l *Ledger, family string) (starts []int64) {
	for _, g := range growthOf(l, family) {
		starts = append(starts, g.start)
	}
	return starts
}

// A line without a usable time counts at the latest time of the lines before it, or
// else when its file was modified.
func TestUnusableTimes(t *testing.T) {
	const first, second, modified = "2026-05-01T10:00:00.000Z", "2026-05-03T10:00:00.000Z", "2026-05-10T10:00:00.000Z"
	now := millis(t, "2026-06-01T10:02:00Z")
	line := answer
	for _, tt := range []struct {
		name     string
		lines    []string
		modified string
		want     []string
	}{
		{"none", []string{line("a", first), line("b", "")}, modified, []string{first, first}},
		{"1970", []string{line("a", first), line("b", "1970-01-01T00:00:00.000Z")}, modified, []string{first, first}},
		{"2012", []string{line("a", first), line("b", "2012-01-01T00:00:00.000Z")}, modified, []string{first, first}},
		{"2099", []string{line("a", first), line("b", "2099-12-31T23:59:59.999Z"), line("c", "")}, modified, []string{first, first, first}},
		{"no time at all", []string{line("a", "soon"), line("b", "")}, modified, []string{modified, modified}},
		{"at the beginning", []string{line("a", ""), line("b", first)}, modified, []string{modified, first}},
		{"an earlier line between", []string{line("a", second), line("b", first), line("c", "")}, modified, []string{second, first, second}},
		{"modified in the future", []string{line("a", "")}, "2026-06-02T10:00:00.000Z", []string{"2026-06-01T10:02:00Z"}},
		{"modified before 2020", []string{line("a", "")}, "1980-01-01T00:00:00.000Z", []string{"2026-06-01T10:02:00Z"}},
		{"a clock ahead", []string{line("a", first), line("b", "2026-06-01T12:02:00.000Z")}, modified, []string{first, "2026-06-01T10:02:00Z"}},
	} {
		for _, batches := range []bool{false, true} { // as one batch, or one batch for each line
			l := New(testOptions(), now)
			f := testFile(1, "a.jsonl")
			l.Open(f)
			for i := range tt.lines {
				lines := tt.lines[i : i+1]
				if !batches {
					lines = tt.lines
				}
				b := batchOf(f, now, lines...)
				b.Modified = millis(t, tt.modified)
				l.AddBatch(b)
				l = reopened(t, l)
				if !batches {
					break
				}
			}
			l.FinalizeFile(1, now)
			want := make(map[int64]uint64)
			for _, at := range tt.want {
				at := millis(t, at)
				want[at-at%fineMillis]++
			}
			got := make(map[int64]uint64)
			for _, g := range growthOf(l, "claude_requests_total") {
				got[g.start] += g.value
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s, batches %v: got %v, want %v", tt.name, batches, got, want)
			}
		}
	}
}

// A turn whose answer states no usable time counts, but has no duration.
func TestTurnOfUnusableTimes(t *testing.T) {
	for _, stamp := range []string{"", "1970-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"} {
		l := newWith(prompt("p", "2026-05-01T10:00:00.000Z", "do"), answer("m", stamp))
		l.FinalizeFile(1, birth)
		if turns, durations := value(l, "claude_turns_total"), len(samplesOf(l, "claude_turn_seconds")); turns != 1 || durations != 0 {
			t.Errorf("%q: got %d turns and %d durations", stamp, turns, durations)
		}
	}
}

// A line counts at its own time, if that can be true.
func TestTimeOf(t *testing.T) {
	now := millis(t, "2026-06-01T10:02:00Z")
	for _, tt := range []struct {
		stamp, when, reason string
	}{
		{"", "2026-06-01T10:00:00Z", missingTime},
		{"yesterday", "2026-06-01T10:00:00Z", missingTime},
		{"2019-12-31T23:59:59.999Z", "2026-06-01T10:00:00Z", pastTime},
		{"2020-01-01T00:00:00.000Z", "2020-01-01T00:00:00Z", ""},
		{"2026-05-31T09:59:59.999Z", "2026-05-31T09:55:00Z", ""},
		{"2026-06-01T10:02:00.000Z", "2026-06-01T10:00:00Z", ""},
		{"2026-06-01T10:02:00.001Z", "2026-06-01T10:00:00Z", futureTime},
		{"2026-06-01T10:07:00.000Z", "2026-06-01T10:00:00Z", futureTime},
		{"2099-06-01T10:07:00.000Z", "2026-06-01T10:00:00Z", futureTime},
	} {
		for _, typ := range []string{"user", "summary"} {
			l := New(testOptions(), now)
			f := testFile(1, "a.jsonl")
			l.Open(f)
			l.AddBatch(batchOf(f, now, `{"type":"`+typ+`","timestamp":"`+tt.stamp+`","sessionId":"s"}`))
			want := millis(t, tt.when)
			if want < l.History().FineFrom {
				want -= want % (perCoarse * fineMillis)
			}
			if got := when(l, "ccwatchd_lines_total"); !slices.Equal(got, []int64{want}) {
				t.Errorf("%s: counted in %d, want %d", tt.stamp, got, want)
			}
			for _, reason := range []string{missingTime, futureTime, pastTime} {
				n := uint64(0)
				if reason == tt.reason && (reason != missingTime || typ == "user") {
					n = 1
				}
				if got := value(l, "ccwatchd_replaced_times_total", reason); got != n {
					t.Errorf("%s of a %s line: got %d times replaced as %s, want %d", tt.stamp, typ, got, reason, n)
				}
			}
		}
	}
}

// A line from before 2020 is no activity. Here it is priced when it is read.
func TestTimeBefore2020(t *testing.T) {
	const line = `{"type":"assistant","timestamp":"2019-06-01T10:00:00.000Z","sessionId":"s",` +
		`"message":{"id":"m","model":"sonnet","stop_reason":"end_turn","usage":{"output_tokens":1000000}}}`
	l := newWith(line)
	l.Settle()
	if got, want := value(l, "claude_cost_usd_total"), uint64(15_000_000_000); got != want {
		t.Errorf("got a cost of %d, want %d", got, want)
	}
	if l.LastActivity() != 0 || len(l.Snapshot(birth).Live) > 0 {
		t.Errorf("got activity at %d, and %d live sessions, want none", l.LastActivity(), len(l.Snapshot(birth).Live))
	}
}

// A sub-agent counts at its first line of dialogue, whether at once or when it turns
// out that it is no copy.
func TestSubagentHistory(t *testing.T) {
	const began, later = "2026-05-01T10:00:10.000Z", "2026-05-01T11:00:00.000Z"
	want := []int64{millis(t, "2026-05-01T10:00:00Z")}
	line := func(typ, stamp string) string {
		return `{"type":"` + typ + `","timestamp":"` + stamp + `","sessionId":"s"}`
	}
	for name, lines := range map[string][]string{
		"at once":     {line("user", began), line("assistant", later)},
		"at the task": {line("system", "2026-05-01T09:00:00.000Z"), line("assistant", began), line("user", later)},
		"when quiet":  {line("assistant", began), line("assistant", later)},
	} {
		now := millis(t, "2026-05-01T12:00:00Z")
		l := New(testOptions(), now)
		f := testFile(1, "s/subagents/agent-a.jsonl")
		l.Open(f)
		l.AddBatch(batchOf(f, now, lines...))
		l = reopened(t, l)
		l.FinalizeFile(f.ID, now)
		if got := when(l, "claude_subagents_total"); !slices.Equal(got, want) {
			t.Errorf("%s: counted in %d, want %d", name, got, want)
		}
	}
}

// A copy of a sub-agent that counts late counts at its first line of dialogue.
func TestSubagentCopyHistory(t *testing.T) {
	now := millis(t, "2026-05-01T12:00:00Z")
	l := New(testOptions(), now)
	for id := range FileID(2) {
		f := testFile(id+1, "s/subagents/agent-a.jsonl")
		l.Open(f)
		l.AddBatch(batchOf(f, now, `{"type":"user","timestamp":"2026-05-01T10:00:10.000Z","sessionId":"s"}`))
	}
	for id := range FileID(2) {
		l.FinalizeFile(id+1, now)
	}
	want := []int64{millis(t, "2026-05-01T10:00:00Z")}
	if got := when(l, "claude_subagents_total"); value(l, "claude_subagents_total") != 2 || !slices.Equal(got, want) {
		t.Errorf("got %d sub-agents in %d, want 2 in %d", value(l, "claude_subagents_total"), got, want)
	}
}

// A message counts at its earliest record, and a correction at the line that corrects.
func TestMessageHistory(t *testing.T) {
	record := func(stamp, stop string, output int) string {
		return fmt.Sprintf(`{"type":"assistant","timestamp":"%s","message":{"id":"m","model":"opus","stop_reason":%s,"usage":{"output_tokens":%d}}}`, stamp, stop, output)
	}
	first, second, third := record("2026-05-01T10:00:00.000Z", "null", 1), record("2026-05-01T11:00:00.000Z", "null", 5), record("2026-05-01T12:00:00.000Z", `"end_turn"`, 20)
	at := func(hour string, tokens uint64) growth {
		return growth{millis(t, "2026-05-01T"+hour+":00:00Z"), tokens}
	}
	for _, tt := range []struct {
		name    string
		batches [][]string
		want    []growth
	}{
		{"in order", [][]string{{first, second, third}}, []growth{at("10", 20)}},
		{"best first", [][]string{{third, second, first}}, []growth{at("10", 20)}},
		{"held", [][]string{{second, first}, {third}}, []growth{at("10", 20)}},
		{"corrected", [][]string{{first, `{"type":"assistant","message":{"id":"n","model":"opus","stop_reason":"end_turn","usage":{}}}`}, {second}, {third}}, []growth{at("10", 1), at("11", 4), at("12", 15)}},
	} {
		l := New(testOptions(), birth)
		f := testFile(1, "a.jsonl")
		l.Open(f)
		for _, batch := range tt.batches {
			l.AddBatch(batchOf(f, birth, batch...))
			l.Settle()
		}
		if got := growthOf(l, "claude_tokens_total", "output"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A turn counts when its answer ended, unless that cannot be true.
func TestTurnHistory(t *testing.T) {
	for ended, want := range map[string]int64{
		"2026-05-01T10:06:00.000Z": millis(t, "2026-05-01T10:05:00Z"),
		"2019-05-01T10:06:00.000Z": birth - birth%fineMillis,
		"2099-05-01T10:06:00.000Z": birth - birth%fineMillis,
	} {
		l := newWith(prompt("p", "2018-05-01T10:00:00.000Z", "do"), answer("m", ended))
		l.FinalizeFile(1, birth)
		if got := when(l, "claude_turns_total"); !slices.Equal(got, []int64{want}) {
			t.Errorf("ended at %s: counted in %d, want %d", ended, got, want)
		}
	}
}
