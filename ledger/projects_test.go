package ledger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// All projects are counted by name, and listed by name with their sessions. The
// projects with the most usage are exposed by name, all other projects together, also
// as gauges.
func TestFoldedProjects(t *testing.T) {
	const projects, exposed, live = 7, 3, 5
	o := testOptions()
	o.Limits = map[string]int{"project": 5} // two remain for later projects
	l := New(o, birth)
	l.Open(testFile(1, "a.jsonl"))
	now := int64(birth)
	for i := range projects {
		now = birth + int64(i)*60_000 + 1
		e := sessionEntry(fmt.Sprint(i), now)
		e.Project, e.Prompt = fmt.Sprint("p", i), &transcript.Prompt{Kind: "text", TextKey: transcript.KeyOf(fmt.Sprint(i))}
		e.UUID = e.Prompt.TextKey
		e.Message = &transcript.Message{Key: transcript.KeyOf("m", fmt.Sprint(i)), Model: "opus", StopReason: "end_turn", Usage: transcript.Usage{Input: uint64(3*i%projects + 1)}}
		l.AddBatch(&Batch{File: 1, Now: now, Entries: []transcript.Entry{e}})
	}
	l.Settle()
	l.set.Start()
	for range 2 {
		want := []string{"other", "p2", "p4", "p6"}
		for _, family := range []string{"claude_sessions_total", "claude_prompts_total", "claude_requests_total", "claude_last_activity_timestamp_seconds"} {
			if got := projectsOf(l, family); !slices.Equal(got, want) {
				t.Errorf("%s: got the projects %q, want %q", family, got, want)
			}
		}
		for _, n := range []uint64{value(l, "claude_requests_total", "other"), value(l, "claude_prompts_total", "other")} {
			if n != projects-exposed {
				t.Errorf("got %d in other projects, want %d", n, projects-exposed)
			}
		}
		if got := value(l, "claude_last_activity_timestamp_seconds", "other"); got != birth+5*60_000+1 {
			t.Errorf("the last activity of other projects is after %d ms", got-birth)
		}
		s := l.Snapshot(now)
		active := make(map[string]int)
		for _, a := range s.Active {
			active[a.Project] += a.Sessions
		}
		if len(s.Live) != live+1 || s.Live[0].Project != "p6" || s.Live[live].Project != counters.Other || active["other"] != 3 || active["p6"] != 1 {
			t.Errorf("got the live sessions %v, by project %v", s.Live, active)
		}
		list := l.SessionList(SessionQuery{Limit: 10, Project: "p1"}, now)
		if len(list.Sessions) != 1 || list.Sessions[0].Project != "p1" {
			t.Errorf("got the sessions %v of p1", list.Sessions)
		}
		h := l.History()
		if h.Folded["project"] != projects-exposed {
			t.Errorf("got the folded values %v", h.Folded)
		}
		l = reopened(t, l)
	}
}

// projectsOf returns the projects that a family is exposed with, sorted.
func projectsOf(l *Ledger, family string) (all []string) {
	for _, s := range samplesOf(l, family) {
		for _, label := range s.Labels {
			if label == counters.Other || label[0] == 'p' {
				all = append(all, label)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Beyond so many projects, they are counted together.
func TestTooManyProjects(t *testing.T) {
	l := New(testOptions(), birth)
	l.Open(testFile(1, "a.jsonl"))
	for i := range maxProjects + 2 {
		e := transcript.Entry{Type: "user", Time: birth, HasProject: true, Project: fmt.Sprint("p", i)}
		e.Prompt = &transcript.Prompt{Kind: "text", TextKey: transcript.KeyOf(fmt.Sprint(i))}
		e.UUID = e.Prompt.TextKey
		l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e}})
	}
	l.set.Start()
	for _, f := range l.History().Families {
		if f.Family.Name != "claude_prompts_total" {
			continue
		}
		i := slices.IndexFunc(f.Series, func(s counters.SeriesHistory) bool { return s.Labels[1] == counters.Other })
		if len(f.Series) != maxProjects+1 || f.Series[i].Value != 2 {
			t.Errorf("got %d projects, and %d prompts in others", len(f.Series), f.Series[i].Value)
		}
	}
	if got := len(samplesOf(l, "claude_prompts_total")); got != 61 {
		t.Errorf("%d projects are exposed, want 60 and other", got)
	}
}
