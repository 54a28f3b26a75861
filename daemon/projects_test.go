package daemon

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// If there are more projects than the first start names, and none has tokens, the most
// recently used projects have names after the first start of a daemon, and in Once. The
// other projects stay "other", and a later project gets a name. A restart changes
// nothing of this.
func TestManyProjects(t *testing.T) {
	t.Parallel()
	const projects, exposed = 170, 60
	h := newHarness(t)
	h.settings.Ledger.Limits = nil // the defaults
	last := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	write := func(name string, ago, n int) {
		s := &session{ID: name, Name: fmt.Sprint(name, n), CWD: "/home/dev/" + name, Start: last.Add(-time.Duration(ago) * time.Hour)}
		for i := range n {
			s.Prompt(fmt.Sprint(name, n, i))
		}
		h.Append("-home-dev-"+name+"/s.jsonl", s.String())
	}
	want := totals{prompts("other"): projects - exposed}
	for i := range projects { // in the order of their names, the last one was used first
		name := fmt.Sprintf("p%03d", i)
		if write(name, i, 1); i < exposed {
			want[prompts(name)] = 1
		}
	}
	check := func(got totals) {
		t.Helper()
		maps.DeleteFunc(got, func(series string, _ uint64) bool { return !strings.HasPrefix(series, "claude_prompts_total") })
		if d := got.diff(want); d != "" {
			t.Error(d)
		}
	}
	check(h.totalsOnce())
	h.start()
	check(h.totals())
	write("p169", 0, 3)
	write("p000", 0, 2)
	write("new", 0, 5)
	want[prompts("other")] += 3
	want[prompts("new")] = 5
	want[prompts("p000")] += 2
	h.waitForSeries(want)
	h.restart()
	check(h.totals())
	record, _ := h.d.History()
	byProject := reportedPrompts(t, &record)
	if len(byProject) != projects+1 || byProject["p169"] != 4 || byProject["new"] != 5 || byProject["p000"] != 3 {
		t.Errorf("got the prompts by project %v", byProject)
	}
	once, err := Once(t.Context(), h.settings, slog.New(slog.DiscardHandler))
	h.Must(err)
	fresh := once.History()
	if got := reportedPrompts(t, &fresh); !maps.Equal(got, byProject) {
		t.Errorf("read once: got the prompts by project %v, want %v", got, byProject)
	}
	if names := usage.LabelValues(&record, "project"); slices.Contains(names, "other") || len(names) != projects+1 {
		t.Errorf("got the projects %q", names)
	}
}

// reportedPrompts returns the prompts by project as a report computes them.
func reportedPrompts(t *testing.T, h *counters.History) map[string]uint64 {
	t.Helper()
	u, err := usage.Compute(h, usage.Query{By: []string{"project"}, Only: []usage.Measure{usage.Prompts}})
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]uint64)
	for _, row := range u.Rows {
		all[row.Labels[0]] = row.Values[usage.Prompts]
	}
	return all
}

// A session that changes its directory remains in the project where it started, with
// its sub-agents: at rest, while the files grow, and across a restart.
func TestProjectOfSession(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const main, agent = "-home-dev-shop/s.jsonl", "-home-dev-shop/s/subagents/agent-a.jsonl"
	line := func(file, cwd, name string) {
		s := &session{ID: "s", Name: name, CWD: cwd, Side: file == agent}
		h.Append(file, s.Reply(transcripttest.Reply{ID: name, In: 1, Stop: "end_turn"}).String())
	}
	requests := func(project, agent string) string {
		return fmt.Sprintf(`claude_requests_total{model="opus",project=%q,agent=%q,stop_reason="end_turn"}`, project, agent)
	}
	want := totals{requests("shop", "main"): 1}
	line(main, "/home/dev/shop", "a")
	h.start()
	h.waitForSeries(want)
	for i, cwd := range []string{"/home/dev/shop/packages/api", "/tmp"} {
		line(main, cwd, fmt.Sprint("b", i))
		want[requests("shop", "main")]++
		h.waitForSeries(want)
		line(agent, "/tmp/elsewhere", fmt.Sprint("c", i))
		want[requests("shop", "subagent")]++
		h.waitForSeries(want)
		h.restart()
		h.waitForSeries(want)
	}
	once := h.totalsOnce()
	for series, n := range want {
		checkEqual(t, series, once[series], n)
	}
}
