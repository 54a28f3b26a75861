package ledger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// newGateway returns transcripts of a gateway whose ids are not unique, with parents
// that are missing, that are any earlier line, and in any order, and with any request
// and block. Some files begin with a copy of another. For even seeds all records of
// messages are equal, so it does not matter which of them counts; for odd seeds, the
// sum of tokens depends on the order.
func newGateway(seed, order uint64) *replayer {
	r := &replayer{Rand: rand.New(rand.NewPCG(seed, 3)), now: birth}
	for i := range 1 + r.IntN(4) {
		var lines [][]byte
		if i > 0 && r.IntN(3) > 0 {
			of := r.files[r.IntN(i)].lines
			lines = slices.Clone(of[:r.IntN(len(of)+1)])
		}
		for range 1 + r.IntN(25) {
			lines = append(lines, r.gatewayLine(fmt.Sprint(i, "/", len(lines)), lines, 1+r.IntN(1+int(seed%2))))
		}
		name := fmt.Sprintf("p/%d.jsonl", i)
		r.files = append(r.files, &transcriptFile{name: name, file: testFile(FileID(i+1), name), lines: lines})
	}
	r.Rand = rand.New(rand.NewPCG(order, 4))
	return r
}

// gatewayLine returns the line after some lines.
func (r *replayer) gatewayLine(uuid string, before [][]byte, input int) []byte {
	parent := "null"
	if n := len(before); n > 0 && r.IntN(6) > 0 {
		_, after, _ := strings.Cut(string(before[max(n-1-r.IntN(2)*r.IntN(n), 0)]), `"uuid":`)
		parent, _, _ = strings.Cut(after, ",")
	}
	id := func(of ...string) string { return of[r.IntN(len(of))] }
	var blocks []string
	head := fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":"s","cwd":"/p/web",`, uuid, parent)
	switch r.IntN(10) {
	case 0:
		return []byte(head + `"type":"user","message":{"content":"` + uuid + `"}}`)
	case 1, 2, 3:
		for range 1 + r.IntN(2) {
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"is_error":true}`, id("call_0", "call_0", "call_1", "toolu_genuine")))
		}
		return []byte(head + `"type":"user","toolUseResult":{"backgroundTaskId":"b"},"message":{"content":[` + strings.Join(blocks, ",") + `]}}`)
	}
	for range r.IntN(3) {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash"}`, id("call_0", "call_0", "call_1", "toolu_genuine")))
	}
	head += id("", "", "", `"requestRef":"",`, `"requestRef":"r1",`, `"requestRef":"r2",`)
	head += id("", "", "", `"apiBlockIndex":0,`, `"apiBlockIndex":1,`) + id("", "", `"requestId":"q1",`, `"requestId":"q2",`)
	return []byte(head + fmt.Sprintf(`"type":"assistant","message":{"id":%q,"model":%q,"stop_reason":%s,"content":[%s],%q:{"input_tokens":%d,"output_tokens":1}}}`,
		id("msg_proxy", "msg_proxy", "msg_proxy", "call_0", "msg_genuine_of_Claude", ""), id("opus", "opus", "opus", "<synthetic>"),
		id("null", "null", `"end_turn"`), strings.Join(blocks, ","), id("usage", "usage", "usage", "no usage"), input))
}

// expectedOfGateway returns the numbers of messages, of their tokens and of calls, and,
// if the files are read in order, of background work and of results without a call.
func expectedOfGateway(r *replayer) (counts [3]uint64, ofResults [2]uint64) {
	tree := r.tree()
	messages, calls := make(map[string]bool), make(map[string]bool)
	for _, f := range tree.Files {
		for _, l := range f.Lines {
			messages[l.Message()] = true
			for _, call := range l.ToolCalls() {
				calls[call] = true
			}
		}
	}
	delete(messages, "")
	counts = [3]uint64{uint64(len(messages)), 0, uint64(len(calls))}
	for _, s := range naive.Expected(tree) {
		switch s.Labels["__name__"] {
		case "claude_tokens_total":
			counts[1] += uint64(s.Value)
		case "claude_background_tasks_total":
			ofResults[0] += uint64(s.Value)
		case "claude_tool_results_without_call_total":
			ofResults[1] += uint64(s.Value)
		}
	}
	return counts, ofResults
}

func sumOf(l *Ledger, family string) (n uint64) {
	for series, v := range values(l) {
		if name, _, _ := strings.Cut(series, " "); name == family {
			n += v[0]
		}
	}
	return n
}

// Ids that are not unique count as in the second implementation, at rest and live, in
// any order of files, in batches of any size, with restarts anywhere, and if files are
// read again.
func TestShortIDs(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	some := [5]uint64{}
	for seed := range uint64(testsize.Of(300, 60)) {
		want, wantResults := expectedOfGateway(newGateway(seed, 0))
		for order := range uint64(4) {
			r := newGateway(seed, order)
			var steps []step
			if order == 0 {
				steps = r.inOrderAndAgain()
			} else {
				steps = r.readAll(int(order), order == 2, order == 3)
			}
			l := New(testOptions(), birth)
			for i, s := range steps {
				if s(l); i%5 == 2 {
					l = reopened(t, l)
				}
			}
			releaseAll(l)
			got := [3]uint64{sumOf(l, "claude_requests_total"), sumOf(l, "claude_tokens_total"), sumOf(l, "claude_tool_calls_total")}
			if seed%2 == 1 {
				got[1] = want[1]
			}
			if got != want {
				t.Fatalf("seed %d, order %d: got %d messages, tokens and calls, want %d", seed, order, got, want)
			}
			gotResults := [2]uint64{sumOf(l, "claude_background_tasks_total"), sumOf(l, "claude_tool_results_without_call_total")}
			if order == 0 && gotResults != wantResults {
				t.Fatalf("seed %d: got %d background tasks and results without a call, want %d", seed, gotResults, wantResults)
			}
		}
		for i, n := range append(want[:], wantResults[:]...) {
			some[i] += n
		}
	}
	if slices.Min(some[:]) == 0 {
		t.Errorf("got %d in all", some)
	}
}

// inOrderAndAgain reads one file after another, each of them twice.
func (r *replayer) inOrderAndAgain() (steps []step) {
	for _, f := range r.files {
		steps = append(steps, r.open(f), r.read(f, r.IntN(len(f.lines)+1)), r.reset(f), (*Ledger).Settle)
		for f.next < len(f.lines) {
			steps = append(steps, r.read(f, 1+r.IntN(3)), (*Ledger).Settle)
		}
	}
	for _, f := range r.files {
		steps = append(steps, r.finalize(f))
	}
	return steps
}
