package naive

import "math"

// requestsRule implements docs/design/requests.md.
func requestsRule() Rule {
	return Rule{[]string{
		"claude_cache_requests_total", "claude_cache_misses_total", "claude_cache_rewritten_tokens_total",
		"claude_cache_rewritten_cost_usd_total", "claude_request_context_tokens", "claude_request_output_tokens",
	}, countRequests}
}

// countRequests counts each message by its best line, with the reason of the run that
// its first line begins.
func countRequests(tree *Tree, totals Totals) {
	runs := make(map[*Line]*cacheRun)
	for _, f := range tree.Files {
		for _, r := range cacheRuns(f) {
			runs[r.lines[0]] = r
		}
	}
	for _, m := range tree.messages {
		countCacheUse(m, runs[m.first], totals)
		if n := m.best.usage().context(); n > 0 {
			totals.Observe(n, "claude_request_context_tokens", "model", m.best.model())
		}
		if m.best.isFinal() {
			totals.Observe(m.best.usage().Count("output_tokens"), "claude_request_output_tokens", "model", m.best.model())
		}
	}
}

func countCacheUse(m *message, r *cacheRun, totals Totals) {
	short, long := m.best.usage().written()
	read, before := m.best.usage().Count("cache_read_input_tokens"), 0.
	if r.previous != nil {
		before = r.previous.cached()
	}
	again := max(0, min(short+long, before-read))
	result := "hit"
	switch {
	case read > 0 && again >= max(1024, before/10):
		result = "partial"
	case read > 0:
	case short+long > 0:
		result = "miss"
	default:
		result = "uncached"
	}
	totals.Add(1, "claude_cache_requests_total", "result", result, "model", m.best.model(), "project", m.first.project, "agent", m.first.agent)
	if result == "hit" || result == "uncached" {
		return
	}
	reason := r.missReason()
	for _, in := range []any{m.best.Entry, m.best.At("message")} {
		switch stated, _ := member(in, "diagnostics", "cache_miss_reason", "type").(string); stated {
		case "model_changed":
			reason = "model_change"
		case "system_changed", "tools_changed":
			reason = stated
		}
	}
	labels := []string{"reason", reason, "project", m.first.project, "agent", m.first.agent}
	if read == 0 {
		totals.Add(1, "claude_cache_misses_total", labels...)
	}
	if reason != "cold_start" && r.previous != nil {
		totals.Add(again, "claude_cache_rewritten_tokens_total", labels...)
		totals.Add(prices.rewriting(m.requests()[0], again), "claude_cache_rewritten_cost_usd_total", labels...)
	}
}

// A cacheRun is consecutive lines of one message in a file.
type cacheRun struct {
	lines     []*Line
	previous  *cacheRun // in the same conversation
	compacted bool      // after the previous one
}

// counts returns the line whose numbers count for the run: the last with a stop reason,
// or else the last.
func (r *cacheRun) counts() *Line {
	last := r.lines[len(r.lines)-1]
	for _, l := range r.lines {
		if l.isFinal() {
			last = l
		}
	}
	return last
}

func (r *cacheRun) cached() float64 {
	short, long := r.counts().usage().written()
	return min(r.counts().usage().Count("cache_read_input_tokens")+short+long, math.MaxUint32)
}

// lifetime returns for how many seconds the cache lives after the run.
func (r *cacheRun) lifetime() int64 {
	for ; r != nil; r = r.previous {
		if short, long := r.counts().usage().written(); long > 0 {
			return 3600
		} else if short > 0 {
			break
		}
	}
	return 300
}

// ended returns the latest time of the run in seconds, 0 if none is stated.
func (r *cacheRun) ended() (at int64) {
	for _, l := range r.lines {
		at = max(at, l.at/1000)
	}
	return at
}

func (r *cacheRun) missReason() string {
	began := r.lines[0].at / 1000
	switch p := r.previous; {
	case p == nil:
		return "cold_start"
	case began > 0 && p.ended() > 0 && began-p.ended() > p.lifetime():
		return "idle_expired"
	case r.compacted:
		return "after_compaction"
	case r.lines[0].model() != p.counts().model():
		return "model_change"
	}
	return "unexplained"
}

func cacheRuns(f *File) (runs []*cacheRun) {
	latest, compacted := make(map[bool]*cacheRun), make(map[bool]bool)
	for _, l := range f.Lines {
		if l.Text("type") == "system" && l.Text("subtype") == "compact_boundary" {
			compacted[l.side] = true
		}
		if l.key == "" {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].lines[0].key == l.key {
			runs[n-1].lines = append(runs[n-1].lines, l)
			continue
		}
		r := &cacheRun{lines: []*Line{l}, previous: latest[l.side], compacted: compacted[l.side]}
		runs, latest[l.side], compacted[l.side] = append(runs, r), r, false
	}
	return runs
}
