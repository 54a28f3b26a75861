package naive

import (
	"math"
	"path"
	"slices"
	"strings"
)

// requestsRule implements docs/requests.md.
func requestsRule() Rule {
	return Rule{[]string{
		"claude_cache_misses_total", "claude_cache_rewritten_tokens_total",
		"claude_request_context_tokens", "claude_request_output_tokens",
	}, countRequests}
}

// countRequests counts each message of a tree by its best line, with the labels and the
// reason of the first of its lines that was read.
func countRequests(tree *Tree, totals *Totals) {
	first, best := make(map[string]*cacheRun), make(map[string]Entry)
	var order []string
	projects := make(map[string]bool)
	for _, f := range tree.Files {
		for _, r := range cacheRuns(f, projects) {
			if first[r.id] == nil {
				first[r.id], order = r, append(order, r.id)
			}
			for _, e := range r.lines {
				if best[r.id] == nil || !cacheBefore(e, best[r.id]) {
					best[r.id] = e
				}
			}
		}
	}
	for _, id := range order {
		countCacheMiss(first[id], best[id], totals)
		model := cacheModel(best[id])
		if n := cacheContext(best[id]); n > 0 {
			totals.Observe(n, "claude_request_context_tokens", "model", model)
		}
		if cacheFinal(best[id]) {
			totals.Observe(cacheCount(best[id], "output_tokens"), "claude_request_output_tokens", "model", model)
		}
	}
}

// cacheBefore reports whether the line e counts less than one that was read before.
func cacheBefore(e, than Entry) bool {
	if cacheFinal(e) != cacheFinal(than) {
		return cacheFinal(than)
	}
	return cacheCount(e, "output_tokens") < cacheCount(than, "output_tokens")
}

func countCacheMiss(r *cacheRun, e Entry, totals *Totals) {
	short, long := cacheWritten(e)
	if cacheCount(e, "cache_read_input_tokens") > 0 || short+long == 0 {
		return
	}
	reason := r.missReason()
	for _, stated := range []Entry{e, member(map[string]any(e), "message").(map[string]any)} { //nolint:errcheck // a message is an object
		if stated.Text("diagnostics", "cache_miss_reason", "type") == "model_changed" {
			reason = "model_change"
		}
	}
	labels := []string{"reason", reason, "project", r.project, "agent", r.agent}
	totals.Add(1, "claude_cache_misses_total", labels...)
	if reason != "cold_start" && r.previous != nil {
		totals.Add(min(short+long, r.previous.cached()), "claude_cache_rewritten_tokens_total", labels...)
	}
}

// A cacheRun is consecutive lines of one message in a file.
type cacheRun struct {
	id             string
	lines          []Entry
	project, agent string
	previous       *cacheRun // in the same conversation
	compacted      bool      // after the previous one
}

// counts returns the line of which the numbers are those of the run: the last with a
// stop reason, or else the last.
func (r *cacheRun) counts() Entry {
	for _, e := range slices.Backward(r.lines) {
		if cacheFinal(e) {
			return e
		}
	}
	return r.lines[len(r.lines)-1]
}

func (r *cacheRun) cached() float64 {
	short, long := cacheWritten(r.counts())
	return min(cacheCount(r.counts(), "cache_read_input_tokens")+short+long, math.MaxUint32)
}

// lifetime returns for how many seconds the cache lives after the run.
func (r *cacheRun) lifetime() float64 {
	for ; r != nil; r = r.previous {
		if short, long := cacheWritten(r.counts()); long > 0 {
			return 3600
		} else if short > 0 {
			break
		}
	}
	return 300
}

// ended returns the latest time of the run in seconds, 0 if none is stated.
func (r *cacheRun) ended() (at float64) {
	for _, e := range r.lines {
		at = max(at, cacheSeconds(e))
	}
	return at
}

func (r *cacheRun) missReason() string {
	began := cacheSeconds(r.lines[0])
	switch p := r.previous; {
	case p == nil:
		return "cold_start"
	case began > 0 && p.ended() > 0 && began-p.ended() > p.lifetime():
		return "idle_expired"
	case r.compacted:
		return "after_compaction"
	case cacheModel(r.lines[0]) != cacheModel(p.counts()):
		return "model_change"
	}
	return "unexplained"
}

// cacheRuns returns the runs of a file. projects are the values of the label so far.
func cacheRuns(f *File, projects map[string]bool) (runs []*cacheRun) {
	base := path.Base(f.Path)
	isAgent := strings.HasPrefix(base, "agent-")
	latest, compacted := make(map[bool]*cacheRun), make(map[bool]bool)
	project, warmup, prompted := "unknown", false, false
	for i, e := range f.Entries {
		side := isAgent || e.At("isSidechain") == true
		if name := cacheProject(e.Text("cwd")); name != "" {
			project = cacheLimited(projects, name)
		}
		if e.Text("type") == "user" && isAgent && !prompted {
			prompted, warmup = true, cacheIsWarmup(e)
		}
		if e.Text("type") == "system" && e.Text("subtype") == "compact_boundary" {
			compacted[side] = true
		}
		id := cacheMessage(f, i)
		if id == "" {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1].id == id {
			runs[n-1].lines = append(runs[n-1].lines, e)
			continue
		}
		r := &cacheRun{id: id, lines: []Entry{e}, project: project, previous: latest[side], compacted: compacted[side]}
		r.agent = cacheAgent(base, warmup, side)
		runs, latest[side], compacted[side] = append(runs, r), r, false
	}
	return runs
}
