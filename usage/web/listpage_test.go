package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// The sessions are those with usage in the selected period, and their numbers are of
// the period.
func TestSessionsFollowSelection(t *testing.T) {
	s := usagetest.NewScene("team", now)
	for _, query := range []string{"from=2026-11-10&to=2026-11-10", "from=2026-11-10&to=2026-11-10&user=bob", "range=7d&project=storefront", "range=last-month&model=opus-4-6"} {
		u := usageOf(t, s, query)
		known, filters := filterValues(&s.History)
		selected, _ := newSelection(query, filters, known, now)
		var requests uint64
		for _, one := range s.Sessions(selected.sessionQuery()).Sessions {
			requests += one.Requests
		}
		where := selected.where()
		want := values(t, s, usage.Query{Since: selected.period.since, Until: selected.period.until, Where: where})
		if requests == 0 || requests != want[usage.Requests] && len(where[usage.ModelNameLabel]) == 0 {
			t.Errorf("%s: the sessions have %d requests, want %d", query, requests, want[usage.Requests])
		}
		if n := len(u.Sessions.Sessions); n == 0 || n > firstSessions {
			t.Errorf("%s: got %d sessions", query, n)
		}
	}
}

// Sessions are sorted by cost, today by time, and as the URL states.
func TestSessionOrder(t *testing.T) {
	for query, want := range map[string]string{
		"": "most expensive", "range=today": "latest", "from=2026-11-11&to=2026-11-11": "most expensive", "show=tokens": "largest",
		"sort=time": "latest", "range=today&sort=tokens": "largest",
	} {
		if got := usageOf(t, ordinary(), query).Sessions.Listed; !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want the %s", query, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	p := newTestPage(usagetest.NewScene("team", now))
	for url, want := range map[string][]string{
		"sessions?range=7d&user=bob": {"<title>Sessions ·", `href="./?range=7d&amp;user=bob"`, ", the most expensive first", ">Tool calls<", `aria-sort="descending"><a href="?range=7d&amp;sort=cost&amp;user=bob#sessions"`},
		"sessions?to=2020-01-01":     {"No session in this selection."},
		"projects?range=all":         {"<title>Projects ·", `Cost by project <span class="soft">6 projects</span></h2>`, `<a href="./?project=infra&amp;range=all"><bdi>infra</bdi></a>`, ">Sessions<", "30 August 2026 –"},
		"models?show=tokens":         {`Tokens by model <span class="soft">4 models</span></h2>`, "<td>no price</td>"},
	} {
		code, page := get(t, p, url)
		if code != http.StatusOK {
			t.Errorf("%s: status %d", url, code)
		}
		check(t, page, want, nil)
	}
	if code, page := get(t, p, "sessions?usr=bob"); code != http.StatusBadRequest || !strings.Contains(page, "range, from, to, project, model, user, show, sort, open, reload.") {
		t.Errorf("an unknown parameter: status %d, %s", code, page)
	}
}

// The front page and the page of sources list the values of a label of sources. The
// front page does not if the selection has one value.
func TestSources(t *testing.T) {
	s := usagetest.NewScene("team", now)
	by := compute(t, s, usage.Query{Since: midnight(now, -29), By: []string{"user"}, Only: groupQuery(selection{}, "user").Only})
	var rows []string
	for _, r := range by.Rows {
		rows = append(rows, fmt.Sprintf(`<a href="./?range=30d&amp;user=%s"><bdi>%[1]s</bdi></a></th><td>%s`, r.Labels[0], format.USD(r.Values.USD())))
	}
	p := newTestPage(s)
	for _, url := range []string{"", "sources"} {
		_, page := get(t, p, url)
		check(t, page, append(rows, `Cost by user <span class="soft">2 users</span></h2>`), []string{"All 2 users</a></p>"})
	}
	_, page := get(t, p, "?user=bob")
	check(t, page, nil, []string{"Cost by user"})
	var one content
	if one.addFirstGroups(&usage.Usage{Rows: by.Rows[:1]}, selection{}, "user"); len(one.Groups) > 0 {
		t.Errorf("got %+v", one.Groups[0])
	}
	_, page = get(t, newTestPage(ordinary()), "sources")
	check(t, page, []string{"No label of sources has several values."}, nil)
}

// The front page links to the page of all sources.
func TestManySources(t *testing.T) {
	p := usagetest.Ordinary(now)
	for n := range firstGroups + 1 {
		p.Users = append(p.Users, fmt.Sprint("user-", n))
	}
	s := ordinary()
	s.History = p.Ledger().History()
	_, page := get(t, newTestPage(s), "?range=all")
	check(t, page, []string{`>the 8 most expensive of 9 users</span></h2>`, `<p class="all"><a href="sources?range=all#by-user">All 9 users</a></p>`}, nil)
}

// With a model, the page says that the numbers of sessions are of all models.
func TestSessionsOfModel(t *testing.T) {
	const note = "their numbers are of all models"
	p := newTestPage(ordinary())
	for url, all := range map[string][]string{"?range=all&sort=time": {note, "in this period, of all models"}, "sessions?range=all": {note}} {
		_, page := get(t, p, url)
		check(t, page, nil, all)
		_, page = get(t, p, url+"&model=opus-4-6")
		check(t, page, all, nil)
	}
}

// A panic does not prevent later requests.
func TestListAfterPanic(t *testing.T) {
	failed := false
	p := newTestPage(ordinary(), func(o *Options) {
		sessions := o.Sessions
		o.Sessions = func(q ledger.SessionQuery) (ledger.SessionList, bool) {
			if !failed {
				failed = true
				panic("a fault")
			}
			return sessions(q)
		}
	})
	func() {
		defer func() { _ = recover() }()
		get(t, p, "sessions")
	}()
	if len(p.working) > 0 {
		t.Fatal("the failed request is still being computed")
	}
	if code, _ := get(t, p, "sessions"); code != http.StatusOK || !failed {
		t.Errorf("status %d", code)
	}
}

// A list that is cut states of how many.
func TestManyGroups(t *testing.T) {
	s := ordinary()
	s.History.Families = slices.Clone(s.History.Families)
	i := slices.IndexFunc(s.History.Families, func(f counters.FamilyHistory) bool { return f.Family.Name == "claude_tokens_total" })
	f := &s.History.Families[i]
	one := f.Series[0]
	f.Series = slices.Clone(f.Series)
	for n := range maxListed {
		one.Labels = slices.Clone(one.Labels)
		one.Labels[slices.Index(f.Family.Labels, "project")] = fmt.Sprint(n)
		f.Series = append(f.Series, one)
	}
	for query, want := range map[string]string{"range=all": "most expensive", "range=all&show=tokens": "largest"} {
		_, page := get(t, newTestPage(s), "projects?"+query)
		check(t, page, []string{">the 1,000 " + want + " of 1,006 projects</span></h2>"}, nil)
		if n := strings.Count(page, `<th scope="row">`); n != maxListed {
			t.Errorf("got %d projects", n)
		}
	}
}

// Further projects of a chart lead to the list of all.
func TestOthers(t *testing.T) {
	_, page := get(t, newTestPage(heavy()), "?range=90d&model=opus-4-6")
	check(t, page, []string{`<a href="projects?model=opus-4-6&amp;range=90d"><bdi>12 others</bdi></a>`}, nil)
}

// An opened table stays open when the page is loaded again.
func TestOpenedTables(t *testing.T) {
	_, page := get(t, newTestPage(ordinary()), "?open=heat+project&range=7d")
	check(t, page, []string{
		`<a href="?open=project&amp;range=7d#open-heat" aria-expanded="true">`, `aria-label="Cost by project as a table"`, `aria-label="Cost by weekday and hour as a table"`,
		`<a href="?open=heat&#43;model&#43;project&amp;range=7d#open-model" aria-expanded="false">`,
	}, []string{`aria-label="Cost by model as a table"`})
}

// A list of many sessions stays small enough.
func TestSizeOfList(t *testing.T) {
	s := ordinary()
	s.Sessions = func(ledger.SessionQuery) (list ledger.SessionList) {
		for i := range maxListed {
			one := ledger.SessionTotals{First: now.UnixMilli(), Input: 1e9, Requests: 1e6, NanoUSD: 123e9}
			one.ID, one.Project, one.Model, one.Last = fmt.Sprintf("%08x-0000-4000-8000-000000000000", i), "a project with a long name", "claude-opus-4-8", now.UnixMilli()
			list.Sessions = append(list.Sessions, one)
		}
		list.Priced = true
		return list
	}
	const limit = 600_000
	if _, page := get(t, newTestPage(s), "sessions?range=all"); len(page) > limit {
		t.Errorf("got %d bytes", len(page))
	}
}

// The first characters of an id select a session. If several sessions begin in this
// way, the page lists them.
func TestSessionPrefix(t *testing.T) {
	s := ordinary()
	p := newTestPage(s)
	id := s.List()[0].ID
	if code, page := getSession(t, p, id[:8]); code != http.StatusOK || !strings.Contains(page, "claude --resume "+id) {
		t.Errorf("status %d: %s", code, page)
	}
	if code, _ := getSession(t, p, id[:7]); code != http.StatusNotFound {
		t.Errorf("7 characters: status %d", code)
	}
	s.Sessions = func(ledger.SessionQuery) (list ledger.SessionList) {
		for _, id := range []string{"01234567-a", "01234567-b"} {
			list.Sessions = append(list.Sessions, ledger.SessionTotals{Session: ledger.Session{ID: id, Project: "web"}})
		}
		return list
	}
	code, page := getSession(t, newTestPage(s), "01234567")
	if code != http.StatusMultipleChoices {
		t.Errorf("status %d", code)
	}
	check(t, page, []string{"2 sessions with this beginning of an id", `<a href="../session/01234567-b"><bdi>01234567-b</bdi></a> <bdi>web</bdi>`}, []string{"--resume"})
}

// Prompts are those that people wrote; commands are counted beside them.
func TestPromptsAndCommands(t *testing.T) {
	s := span{}
	s.current.Measures = []usage.Measure{usage.Prompts, usage.Commands}
	s.current.Total[usage.Prompts], s.current.Total[usage.Commands] = 9, 4
	all := facts(&s)
	if len(all) != 2 || all[0] != (fact{Name: "Prompts", Value: "5"}) || all[1] != (fact{Name: "Commands", Value: "4"}) {
		t.Errorf("got %+v", all)
	}
}

// Every label of sources selects, except one with the name of another parameter.
func TestFilterParameters(t *testing.T) {
	h := &counters.History{Families: []counters.FamilyHistory{{Series: make([]counters.SeriesHistory, 1)}}}
	h.Families[0].Series[0].Source = counters.NewSourceLabels(map[string]string{"user": "ann", "host_name": "a", "sort": "b"})
	if got := filterParameters(h); !slices.Equal(got, []string{"project", "model", "host_name", "user"}) {
		t.Errorf("got %q", got)
	}
	known := map[string][]string{"host_name": {"a", "b"}, "user": {"ann"}}
	filters := newFilters(selection{filters: filterParameters(h)}, known)
	if len(filters) != 3 || filters[2].Title != "Host name" || filters[2].Links[0].Text != "All host names" {
		t.Errorf("got %+v", filters)
	}
}
