package naive

import (
	"fmt"
	"slices"
)

// latencyRule implements docs/design/requests.md#times for requests and compactions.
func latencyRule() Rule {
	return Rule{[]string{
		"claude_request_duration_seconds", "claude_request_first_block_seconds", "claude_request_timed_output_tokens_total",
		"claude_request_timed_seconds_total", "claude_compaction_duration_seconds", "claude_compaction_saved_tokens_total",
		"claude_compaction_pre_tokens",
	}, func(tree *Tree, totals Totals) {
		countTimedRequests(tree, totals)
		countCompactionTimes(tree, totals)
	}}
}

// A timedRequest is a message in one conversation of a file.
type timedRequest struct {
	key           string
	sent          int64 // 0 if unknown
	lines         []*Line
	over          bool // no further line belongs to it
	isLastOfChain bool
}

// countTimedRequests observes the first copy of each message, in the order of their
// completion: a copy is complete when another message follows, or at the end.
func countTimedRequests(tree *Tree, totals Totals) {
	var early, late []timedRequest
	for _, f := range tree.Files {
		for _, r := range timedRequests(f) {
			if r.isLastOfChain {
				late = append(late, r)
			} else {
				early = append(early, r)
			}
		}
	}
	seen := make(set)
	for _, r := range slices.Concat(early, late) {
		first, last := timesOf(r.lines)
		if r.sent == 0 || first < r.sent || !seen.first(r.key) {
			continue
		}
		best := r.lines[0]
		for _, l := range r.lines {
			if l.compare(best) >= 0 {
				best = l
			}
		}
		took := float64(last-r.sent) / 1000
		totals.Observe(took, "claude_request_duration_seconds", "model", best.model())
		totals.Observe(float64(first-r.sent)/1000, "claude_request_first_block_seconds", "model", best.model())
		if best.isFinal() {
			totals.Add(best.usage().Count("output_tokens"), "claude_request_timed_output_tokens_total", "model", best.model())
			totals.Add(took, "claude_request_timed_seconds_total", "model", best.model())
		}
	}
}

// timedRequests returns the messages of a file, in the order of their ends.
func timedRequests(f *File) (all []timedRequest) {
	ends := make(map[int][]timedRequest) // by the line that ends them
	for _, side := range []bool{false, true} {
		sent, open := int64(0), timedRequest{over: true}
		for i, l := range f.Lines {
			if l.paused && !open.over {
				ends[i] = append(ends[i], open)
				open.over = true
			}
			if side != (l.side && !f.isAgent) {
				continue
			}
			switch {
			case l.key != "" && l.key == open.key:
				if !open.over {
					open.lines = append(open.lines, l)
				}
			case (l.isTurnDuration() || l.isExit()) && !open.over:
				ends[i] = append(ends[i], open)
				open.over = true
			case l.key != "":
				if !open.over {
					ends[i] = append(ends[i], open)
				}
				open = timedRequest{key: l.key, sent: sent, lines: []*Line{l}}
				sent = 0
			case l.causesNone():
				sent = 0
			case l.Text("type") == "user" || l.prompt() == "queued":
				sent = max(sent, l.at)
			}
		}
		if !open.over {
			open.isLastOfChain = true
			all = append(all, open)
		}
	}
	for i := range f.Lines {
		all = append(all, ends[i]...)
	}
	return all
}

// causesNone reports whether neither an entry nor the entries before it cause a
// request.
func (l *Line) causesNone() bool {
	return l.Text("type") == "assistant" || l.Text("type") == "user" && (l.prompt() == interruption || l.at == 0)
}

// timesOf returns the earliest and the latest time of lines, 0 if none is stated.
func timesOf(lines []*Line) (first, last int64) {
	for _, l := range lines {
		if l.at != 0 && (first == 0 || l.at < first) {
			first = l.at
		}
		last = max(last, l.at)
	}
	return first, last
}

// countCompactionTimes counts durations and saved tokens of compactions, each once by
// its uuid and by its time and size.
func countCompactionTimes(tree *Tree, totals Totals) {
	seen := make(set)
	for l := range tree.lines() {
		if l.file.kind != "" || l.Text("type") != "system" || l.Text("subtype") != "compact_boundary" {
			continue
		}
		trigger, ok := l.At("compactMetadata", "trigger").(string)
		if !ok {
			trigger = "unknown"
		}
		before, after := l.Number("compactMetadata", "preTokens"), l.Number("compactMetadata", "postTokens")
		keys := []string{l.id()}
		if l.at > 0 {
			keys = append(keys, fmt.Sprint(l.at, trigger, before))
		}
		if !seen.firstOf(keys...) {
			continue
		}
		if before > 0 {
			totals.Observe(before, "claude_compaction_pre_tokens", "trigger", trigger)
		}
		if took := l.Number("compactMetadata", "durationMs"); took > 0 {
			totals.Observe(took/1000, "claude_compaction_duration_seconds", "trigger", trigger)
		}
		if before > after && after > 0 {
			totals.Add(before-after, "claude_compaction_saved_tokens_total", "trigger", trigger)
		}
	}
}
