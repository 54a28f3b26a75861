package naive

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
)

var (
	noLetterOrDigit = regexp.MustCompile(`[^a-zA-Z0-9]`)
	surrogates      = regexp.MustCompile(`[\x{10000}-\x{10ffff}]`)
)

// encoded returns the name that Claude Code gives to the directory of the sessions that
// were started in a directory. Characters beyond the 16 bits of UTF-16 count twice.
func encoded(dir string) string {
	dir = surrogates.ReplaceAllString(dir, "--")
	return noLetterOrDigit.ReplaceAllString(dir, "-")
}

// startOf returns the directory where the session of a transcript was started, by
// docs/design/transcripts.md, given the entries of all transcripts by path.
func startOf(f *File, all map[string][]Entry) string {
	entries := all[f.Path]
	dir, _ := startIn(f.Path, entries)
	first := slices.IndexFunc(entries, func(e Entry) bool { return e.Text("cwd") != "" })
	if !f.isAgent || first < 0 {
		return dir
	}
	if at, named := startIn(f.Path, entries[first:first+1]); named {
		return at
	}
	id := entries[first].Text("sessionId")
	session := path.Join(path.Dir(f.Path), id+".jsonl")
	if path.Base(path.Dir(f.Path)) == id {
		session = path.Dir(f.Path) + ".jsonl"
	}
	if i := strings.Index(f.Path, "/subagents/"); i >= 0 {
		session = f.Path[:i] + ".jsonl"
	}
	of, _ := startIn(f.Path, all[session])
	return cmp.Or(of, dir)
}

// startIn returns the first working directory of entries that is, or is below, the
// directory that gave a directory on the path its name. Else it returns the first of
// all.
func startIn(name string, entries []Entry) (dir string, named bool) {
	names := strings.Split(path.Dir(name), "/")
	for _, e := range entries {
		cwd := e.Text("cwd")
		dir = cmp.Or(dir, cwd)
		for above := cwd; above != ""; above = above[:max(0, strings.LastIndexAny(above, `/\`))] {
			if slices.Contains(names, encoded(above)) {
				return above, true
			}
		}
	}
	return dir, false
}

// worktreeStores match worktrees outside of their checkouts, with the checkout's name.
var worktreeStores = []*regexp.Regexp{
	regexp.MustCompile(`(?:/conductor/workspaces|/(?:\.cursor|\.superset|emdash)/worktrees)/([^/]+)/[^/]`),
	regexp.MustCompile(`/(?:\.?vibe-kanban|\.codex)/worktrees/[^/]+/([^/]+)`),
}

// projectIn returns the name of the project in a working directory.
func projectIn(dir string) string {
	if strings.HasPrefix(dir, `\\`) || len(dir) > 1 && dir[1] == ':' {
		dir = strings.ReplaceAll(dir, `\`, "/")
	}
	dir = strings.TrimRight(dir, "/")
	for _, worktrees := range []string{"/.claude/worktrees/", "/.worktrees/", "/.conductor/", "/.emdash/worktrees/"} {
		dir, _, _ = strings.Cut(dir, worktrees)
	}
	for _, store := range worktreeStores {
		if m := store.FindStringSubmatch(dir); m != nil {
			return m[1]
		}
	}
	return dir[strings.LastIndex(dir, "/")+1:]
}

// maxProjects is the number of projects that the first start exposes by name, by
// default.
const maxProjects = 60

// foldProjects adds up the series of all but the projects with the most tokens as
// "other". Of projects with the same tokens, the projects used last have names.
func (t Totals) foldProjects(tree *Tree) {
	used, tokens := make(map[string]int64), make(map[string]float64)
	for _, s := range t {
		if s.Labels[model.MetricNameLabel] == "claude_tokens_total" {
			tokens[string(s.Labels["project"])] += s.Value
		}
	}
	for l := range tree.lines() {
		if l.project != "other" && l.project != "unknown" {
			used[l.project] = max(used[l.project], min(l.at, tree.Now))
		}
	}
	names := slices.SortedFunc(maps.Keys(used), func(a, b string) int {
		return cmp.Or(cmp.Compare(tokens[b], tokens[a]), cmp.Compare(used[b], used[a]), strings.Compare(a, b))
	})
	for _, name := range names[min(len(names), maxProjects):] {
		used[name] = -1
	}
	for key, s := range maps.Clone(t) {
		if used[string(s.Labels["project"])] < 0 {
			delete(t, key)
			labels := maps.Clone(s.Labels)
			labels["project"] = "other"
			t.Merge(Totals{"": {Labels: labels, Value: s.Value, Observed: s.Observed}})
		}
	}
}
