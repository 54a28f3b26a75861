package daemon

import (
	"strings"
	"testing"
	"time"
)

// An open message counts once its file has been unchanged for the message timeout, not
// before.
func TestOpenMessageCountsAfterTimeout(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.stopClock()
	h.startWithReplies(1)
	h.Append(fileA, openReply("a"))
	h.waitForOpenMessages(1)
	h.advance(h.settings.MessageTimeout - time.Minute)
	h.restart()
	if got := h.openMessages(); got != 1 {
		t.Fatalf("a minute before the timeout: got %d open messages, want 1", got)
	}
	h.waitFor(totals{requests: 1, output: 10})
	h.advance(2 * time.Minute)
	h.waitFor(totals{requests: 2, output: 15})
	checkEqual(t, "open messages after the timeout", h.openMessages(), 0)
}

// A final record replaces an open record, but not after the timeout: a count is never
// taken back.
func TestFinalRecordReplacesOpenRecord(t *testing.T) {
	const cacheRead = `claude_tokens_total{type="cache_read"}`
	s := &session{ID: "a", CWD: "/p"}
	s.Reply(reply{ID: "msg", In: 8781, Out: 1}).Reply(reply{ID: "msg", In: 39, Out: 500, Read: 41536, Stop: "end_turn"})
	want := totals{output: 500, input: 39, cacheRead: 41536}
	type testCase struct {
		between func(*harness)
		want    totals
	}
	runCases(t, map[string]testCase{
		"at once":               {func(*harness) {}, want},
		"after a restart":       {(*harness).restart, want},
		"after a crash":         {func(h *harness) { h.crash(nil, func() {}) }, want},
		"after another session": {func(h *harness) { h.Write(fileB, replies("b", 1)) }, want.with(output, 510).with(input, 40)},
		"after the timeout": {func(h *harness) {
			h.expireMessageTimeout()
			h.waitFor(totals{requests: 1, output: 1})
		}, want.with(input, 8781)},
	}, func(h *harness, tt testCase) {
		h.start()
		h.totals()
		h.Write(fileA, s.Lines[0].String()+"\n")
		h.waitForOpenMessages(1)
		tt.between(h)
		h.Append(fileA, s.Lines[1].String()+"\n")
		h.waitFor(tt.want)
	})
}

// A last line without a newline counts after the timeout if it is a whole object. A
// later newline changes nothing.
func TestUnterminatedLine(t *testing.T) {
	whole := strings.TrimSuffix(replies("b", 1), "\n")
	begin := whole[:len(whole)-20]
	runCases(t, map[string]func(h *harness){
		"newline follows": func(h *harness) { h.Append(fileA, "\n"); h.Append(fileA, replies("c", 1)) },
		"newline follows after a restart": func(h *harness) {
			h.restart()
			h.Append(fileA, "\n"+replies("c", 1))
		},
		"newline follows after a crash": func(h *harness) {
			h.crash(nil, func() { h.Append(fileA, "\n"+replies("c", 1)) })
		},
		"file is rewritten": func(h *harness) { h.Write(fileA, replies("a", 1)+whole+"\n"+replies("c", 1)) },
	}, func(h *harness, later func(*harness)) {
		h.startWithReplies(1)
		h.Append(fileA, begin)
		h.waitFor(totals{requests: 1, `claude_prompts_total{kind="text"}`: 2})
		h.Append(fileA, whole[len(begin):])
		h.waitUntil("the line is whole", func() bool {
			return h.metric(backlog) > 0 && h.totals(summedLabels...)[requests] == 1
		})
		h.expireMessageTimeout()
		h.waitFor(totals{requests: 2})
		later(h)
		h.waitFor(counts(3, 3).with(garbage, 0))
	})
}

// At the start, an unterminated line counts at once if its file is unchanged for long
// enough.
func TestUnterminatedLineAtStart(t *testing.T) {
	type testCase struct {
		age  time.Duration
		want uint64
	}
	runCases(t, map[string]testCase{"just written": {0, 1}, "unchanged": {time.Hour, 2}}, func(h *harness, tt testCase) {
		h.Write(fileA, replies("a", 1)+strings.TrimSuffix(replies("b", 1), "\n"))
		h.Touch(fileA, time.Now().Add(-tt.age))
		h.start()
		h.waitFor(totals{requests: tt.want})
		h.expireMessageTimeout()
		h.waitFor(counts(2, 2))
	})
}

// An unterminated line that is no whole object waits for its end, even after the
// timeout.
func TestIncompleteLine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	all := replies("a", 2)
	h.Write(fileA, all[:len(all)-10])
	h.start()
	h.expireMessageTimeout()
	h.waitFor(totals{requests: 1})
	h.restart()
	h.expireMessageTimeout()
	h.waitFor(totals{requests: 1})
	h.Append(fileA, all[len(all)-10:])
	h.waitFor(counts(2, 1).with(truncated, 0).with(replaced, 0))
}

// A result counts for its tool if its call follows within the timeout, else for an
// unknown tool. A later call counts, but its result does not count again.
func TestResultBeforeItsCall(t *testing.T) {
	t.Parallel()
	const (
		bash    = `claude_tool_errors_total{tool="Bash",mcp_server="",reason="exit_code"}`
		unknown = `claude_tool_errors_total{tool="unknown",mcp_server="",reason="exit_code"}`
	)
	h := newHarness(t)
	s := (&session{ID: "a", CWD: "/p"}).Result("toolu_1", "Exit code 1", true).Result("toolu_2", "Exit code 1", true)
	addCall := func(message, id string) {
		s := &session{Name: message, ID: "a", CWD: "/p"}
		h.Append(fileA, s.Reply(reply{ID: message, Stop: "tool_use", Calls: []call{{ID: id, Name: "Bash"}}}).String())
	}
	h.Write(fileA, s.String())
	h.start()
	h.waitFor(totals{bash: 0, unknown: 0})
	addCall("m", "toolu_1")
	h.waitFor(totals{bash: 1, unknown: 0, `claude_tool_duration_seconds_count{tool="Bash",mcp_server=""}`: 1})
	h.expireMessageTimeout()
	h.waitFor(totals{bash: 1, unknown: 1})
	addCall("n", "toolu_2")
	h.waitFor(totals{bash: 1, unknown: 1, `claude_tool_calls_total{tool="Bash",mcp_server=""}`: 2})
}

// An open message counts after the timeout even if its file is deleted.
func TestOpenMessageOfDeletedFile(t *testing.T) {
	runCases(t, map[string]func(*harness){
		"while watching": func(h *harness) { h.Remove(fileA) },
		"while stopped":  func(h *harness) { h.stop(); h.Remove(fileA); h.start() },
		"with its root":  func(h *harness) { h.Remove("") },
		"after a crash":  func(h *harness) { h.crash(nil, func() { h.Remove("p") }) },
	}, func(h *harness, remove func(*harness)) {
		h.start()
		h.totals()
		h.Write(fileA, openReply("a"))
		h.waitForOpenMessages(1)
		remove(h)
		h.waitForFileCount(0)
		h.expireMessageTimeout()
		h.waitFor(totals{requests: 1, output: 5})
	})
}
