package naive

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"
)

// latencyRule implements docs/latency.md for requests and compactions.
func latencyRule() Rule {
	return Rule{[]string{
		"claude_request_duration_seconds", "claude_request_first_block_seconds", "claude_request_timed_output_tokens_total",
		"claude_request_timed_seconds_total", "claude_compaction_duration_seconds", "claude_compaction_saved_tokens_total",
	}, func(tree *Tree, totals *Totals) {
		countTimedRequests(tree, totals)
		countCompactionTimes(tree, totals)
	}}
}

// A timedRequest is a message in one conversation of a file.
type timedRequest struct {
	key           string
	sent          int64 // 0 if unknown
	lines         []Entry
	over          bool // no further line belongs to it
	isLastOfChain bool
}

// countTimedRequests observes the first copy of each message, in the order in which
// copies are complete: those that another message follows, and then all others.
func countTimedRequests(tree *Tree, totals *Totals) {
	var early, late []timedRequest
	for _, f := range tree.Files {
		for _, r := range timedRequests(f, tree.Now) {
			if r.isLastOfChain {
				late = append(late, r)
			} else {
				early = append(early, r)
			}
		}
	}
	seen := make(map[string]bool)
	for _, r := range slices.Concat(early, late) {
		first, last := timesOf(r.lines)
		if seen[r.key] || r.sent == 0 || first < r.sent {
			continue
		}
		seen[r.key] = true
		best := bestRecord(r.lines)
		model := cmp.Or(best.Text("message", "model"), "unknown")
		took := float64(last-r.sent) / 1000
		totals.Observe(took, "claude_request_duration_seconds", "model", model)
		totals.Observe(float64(first-r.sent)/1000, "claude_request_first_block_seconds", "model", model)
		if isSet(best.At("message", "stop_reason")) {
			totals.Add(best.Number("message", "usage", "output_tokens"), "claude_request_timed_output_tokens_total", "model", model)
			totals.Add(took, "claude_request_timed_seconds_total", "model", model)
		}
	}
}

// timedRequests returns the messages of a file, in the order in which they end.
func timedRequests(f *File, now float64) (all []timedRequest) {
	paused := afterPause(f, now)
	ends := make(map[int][]timedRequest) // by the line that ends them
	for _, side := range []bool{false, true} {
		sent, open := int64(0), timedRequest{over: true}
		for i, e := range f.Entries {
			if paused[i] && !open.over {
				ends[i] = append(ends[i], open)
				open.over = true
			}
			if side != (e.At("isSidechain") == true && !isAgentFile(f)) {
				continue
			}
			switch key := messageKey(f, i); {
			case key != "" && key == open.key:
				if !open.over {
					open.lines = append(open.lines, e)
				}
			case e.Text("type") == "system" && e.Text("subtype") == "turn_duration" && !open.over:
				ends[i] = append(ends[i], open)
				open.over = true
			case key != "":
				if !open.over {
					ends[i] = append(ends[i], open)
				}
				open = timedRequest{key: key, sent: sent, lines: []Entry{e}}
				sent = 0
			case causesNone(e):
				sent = 0
			case isCause(e):
				sent = max(sent, timeStated(e))
			}
		}
		if !open.over {
			open.isLastOfChain = true
			all = append(all, open)
		}
	}
	for i := range f.Entries {
		all = append(all, ends[i]...)
	}
	return all
}

// causesNone reports whether no request follows from an entry or what was before it.
func causesNone(e Entry) bool {
	switch e.Text("type") {
	case "assistant":
		return true
	case "user":
		return isInterruption(e) || timeStated(e) == 0
	}
	return false
}

func isCause(e Entry) bool { return e.Text("type") == "user" || promptOf(e) == "queued" }

func isInterruption(e Entry) bool {
	blocks := blocksOf(e)
	isResult := func(b Entry) bool { return strings.HasSuffix(b.Text("type"), "tool_result") }
	return !slices.ContainsFunc(blocks, isResult) && slices.ContainsFunc(blocks, func(b Entry) bool {
		return b.Text("type") == "text" && strings.HasPrefix(trimText(b.Text("text")), "[Request interrupted by user")
	})
}

// messageKey returns the key of the message of an entry, "" if it has none.
func messageKey(f *File, i int) string {
	e := f.Entries[i]
	_, hasUsage := e.At("message", "usage").(map[string]any)
	if e.Text("type") != "assistant" || !hasUsage || e.At("message", "model") == "<synthetic>" {
		return ""
	}
	if id := e.Text("message", "id"); id != "" {
		return "id " + id
	}
	return "uuid " + entryID(f, i)
}

// entryID returns the uuid of an entry, or else its place.
func entryID(f *File, i int) string {
	if id, ok := f.Entries[i].At("uuid").(string); ok {
		return id
	}
	return fmt.Sprint(f.Path, " ", i)
}

// bestRecord returns the record that counts: with a stop reason rather than without,
// with more output, or else the last.
func bestRecord(lines []Entry) Entry {
	best := lines[0]
	for _, e := range lines[1:] {
		final, bestFinal := isSet(e.At("message", "stop_reason")), isSet(best.At("message", "stop_reason"))
		more := e.Number("message", "usage", "output_tokens") >= best.Number("message", "usage", "output_tokens")
		if final && !bestFinal || final == bestFinal && more {
			best = e
		}
	}
	return best
}

func isSet(stop any) bool { return stop != nil && stop != "" && stop != false }

func timesOf(lines []Entry) (first, last int64) {
	first = math.MaxInt64
	for _, e := range lines {
		if at := timeStated(e); at != 0 {
			first, last = min(first, at), max(last, at)
		}
	}
	if last == 0 {
		first = 0
	}
	return first, last
}

// timeStated returns the time of an entry in milliseconds since the epoch, 0 if there
// is none.
func timeStated(e Entry) int64 {
	t, err := time.Parse(time.RFC3339Nano, e.Text("timestamp"))
	if err != nil {
		return 0
	}
	return t.Round(time.Millisecond).UnixMilli()
}

func isAgentFile(f *File) bool { return strings.HasPrefix(path.Base(f.Path), "agent-") }

// countCompactionTimes counts what compactions state, each once by its uuid and by its
// time and size.
func countCompactionTimes(tree *Tree, totals *Totals) {
	seen := make(map[string]bool)
	for _, f := range tree.Files {
		if isReplay(f) {
			continue
		}
		for i, e := range f.Entries {
			if e.Text("type") != "system" || e.Text("subtype") != "compact_boundary" {
				continue
			}
			trigger, ok := e.At("compactMetadata", "trigger").(string)
			if !ok {
				trigger = "unknown"
			}
			before, after := e.Number("compactMetadata", "preTokens"), e.Number("compactMetadata", "postTokens")
			keys := []string{entryID(f, i), fmt.Sprint(timeStated(e), trigger, before)}
			known := seen[keys[0]] || seen[keys[1]]
			if seen[keys[0]], seen[keys[1]] = true, true; known {
				continue
			}
			if took := e.Number("compactMetadata", "durationMs"); took > 0 {
				totals.Observe(took/1000, "claude_compaction_duration_seconds", "trigger", trigger)
			}
			if before > after && after > 0 {
				totals.Add(before-after, "claude_compaction_saved_tokens_total", "trigger", trigger)
			}
		}
	}
}

// isReplay reports whether the file begins with a copy of another one.
func isReplay(f *File) bool {
	name := path.Base(f.Path)
	return slices.ContainsFunc([]string{"agent-acompact-", "agent-aprompt_suggestion-", "agent-aside_question-"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}
