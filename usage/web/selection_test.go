package web

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/usagetest"
	"github.com/ccwatchd/ccwatchd/usage"
)

var known = map[string][]string{"project": {"web", "lib", ""}, "model": {"opus", "opus-4-8"}, "user": {"ann", "bob"}}

func TestSelection(t *testing.T) {
	for _, test := range []struct {
		query, wrong string // the title and the value of the mistake
		url          string // of the selection
	}{
		{query: "", url: "?range=30d"},
		{query: "range=1y", url: "?range=1y"},
		{query: "range=365d", url: "?range=1y"},
		{query: "range=month", url: "?range=month"},
		{query: "range=last-month&reload=off", url: "?range=last-month&reload=off"},
		{query: "from=2026-11-01&to=2026-11-07", url: "?from=2026-11-01&to=2026-11-07"},
		{query: "from=2026-11-01&to=2026-12-31", url: "?from=2026-11-01&to=2026-12-31"},
		{query: "from=2026-11-12&to=2026-11-12&project=lib", url: "?from=2026-11-12&project=lib&to=2026-11-12"},
		{query: "from=2026-11-01", url: "?from=2026-11-01"},
		{query: "to=2026-11-01", url: "?to=2026-11-01"},
		{query: "model=us.anthropic.claude-opus-4-8-v1", url: "?model=opus-4-8&range=30d"}, // bookmarks with ids
		{query: "user=ann", url: "?range=30d&user=ann"},
		{query: "from=12h", wrong: "Unknown day: 12h"},
		{query: "from=2026-11-31", wrong: "Unknown day: 2026-11-31"},
		{query: "from=", wrong: "Unknown day: "},
		{query: "from=2026-11-13", wrong: "Future day: 2026-11-13"},
		{query: "from=2026-11-07&to=2026-11-06", wrong: "Invalid period: 2026-11-06"},
		{query: "range=7d&from=2026-11-07", wrong: "Two periods: 7d"},
		{query: "reload=on", wrong: "Unknown reload: on"},
		{query: "user=eve", wrong: "Unknown user: eve"},
		{query: "range=today&show=cost", url: "?range=today"},
		{query: "project=lib&model=opus&show=tokens", url: "?model=opus&project=lib&range=30d&show=tokens"},
		{query: "project=", url: "?project=&range=30d"},
		{query: "other=1", wrong: "Unknown parameter: other"},
		{query: "sort=tokens", url: "?range=30d&sort=tokens"},
		{query: "sort=size", wrong: "Unknown sort: size"},
		{query: "open=tools+limits+tools", url: "?open=limits+tools&range=30d"},
		{query: "open=all", wrong: "Unknown open: all"},
		{query: "range=", wrong: "Unknown range: "},
		{query: "range=31d", wrong: "Unknown range: 31d"},
		{query: "project=Web", wrong: "Unknown project: Web"},
		{query: "model=", wrong: "Unknown model: "},
		{query: "show=both", wrong: "Unknown show: both"},
		{query: "%zz", wrong: "Invalid URL: %zz"},
		{query: "range=7d;show=tokens", wrong: "Invalid URL: range=7d;show=tokens"},
		{query: "range=7d&range=30d", wrong: "Repeated parameter: range"},
	} {
		s, wrong := newSelection(test.query, []string{"project", "model", "user"}, known, now)
		if wrong != nil {
			if got := wrong.Title + ": " + wrong.Value; got != test.wrong || len(wrong.Links) < 2 {
				t.Errorf("%s: got mistake %q with %v, want %q", test.query, got, wrong.Links, test.wrong)
			}
		} else if got := s.URL(); got != test.url || test.wrong != "" {
			t.Errorf("%s: got %s, want %s", test.query, got, test.url)
		}
	}
}

// A mistake in the URL has a page that lists the possible values.
func TestMistake(t *testing.T) {
	p := newTestPage(ordinary())
	for query, want := range map[string][]string{
		"?range=2d":          {"Unknown range", "<q>2d</q></bdi> is not a value of range.", `href="?range=1y"`},
		"?project=%3Cb%3E":   {"Unknown project", "<q>&lt;b&gt;</q></bdi> is not a project in the record.", `href="?project=storefront&amp;range=30d"`, "All projects"},
		"?model=gpt":         {"Unknown model", `href="?model=opus-4-6&amp;range=30d"`},
		"?show=x":            {"Unknown show", "<q>x</q></bdi> is not a value of show.", `href="?range=30d&amp;show=tokens"`},
		"?range=7d&range=7d": {"Repeated parameter", "<q>range</q></bdi> may be in the URL only once.", `href="?range=7d"`},
		"?range=7d;show=x":   {"Invalid URL", "<q>range=7d;show=x</q></bdi> is not a valid query.", `href="?range=7d"`},
	} {
		status, page := get(t, p, query)
		if status != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, status)
		}
		check(t, page, want, []string{`class="plot"`})
	}
}

// selectionLinks returns the links of a page to other selections.
func selectionLinks(page string) (all []string) {
	for _, match := range regexp.MustCompile(`href="(\?[^"]*)"`).FindAllStringSubmatch(page, -1) {
		link, _, _ := strings.Cut(html.UnescapeString(match[1]), "#")
		all = append(all, link)
	}
	return all
}

// Every page that can be reached by links works, and marks its own selection. Links to
// single days, and links that sort, open a table or turn off reloading, are followed
// only without filters.
func TestLinks(t *testing.T) {
	s := usagetest.NewScene("first-week", now)
	p := newTestPage(s)
	seen, next := map[string]bool{"": true}, []string{""}
	days := 0
	for len(next) > 0 {
		link := next[0]
		next = next[1:]
		status, page := get(t, p, link)
		want := 3
		if strings.Contains(page, ">Tokens</a></li>") { // there is a cost
			want++
		}
		if current := strings.Count(page, `aria-current="true"`); status != http.StatusOK || current != want {
			t.Fatalf("%s: status %d, %d links to the current selection", link, status, current)
		}
		for _, link := range selectionLinks(page) {
			special := strings.Contains(link, "from=") || strings.Contains(link, "reload=") || strings.Contains(link, "open=") || strings.Contains(link, "sort=")
			if seen[link] || strings.Count(link, "&") > 1 && strings.Contains(link, "open=") || special && strings.Contains(link, "project=") || special && strings.Contains(link, "model=") {
				continue
			}
			if strings.Contains(link, "from=") {
				days++
			}
			seen[link], next = true, append(next, link)
		}
	}
	// 8 periods, all of 6 projects and all, all of 4 models and all, and 2 amounts.
	if want := 8 * 7 * 5 * 2; len(seen) > want+4*days || len(seen) < want/2 || days < 3 {
		t.Errorf("got %d pages, %d of single days or weeks, want up to %d others", len(seen), days, want)
	}
}

// Days begin at 01:00 where clocks go forward at midnight.
func TestPeriodsWhereClocksChangeAtMidnight(t *testing.T) {
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, santiago)
	}
	for _, test := range []struct{ now, begins, since, until time.Time }{
		{at(9, 12, 15, 45), at(9, 6, 1, 0), at(8, 30, 0, 0), at(9, 5, 15, 45)},
		{at(9, 13, 0, 30), at(9, 7, 0, 0), at(8, 31, 0, 0), at(9, 6, 0, 30)},
		{at(9, 19, 15, 45), at(9, 13, 0, 0), at(9, 6, 1, 0), at(9, 12, 15, 45)},
	} {
		week := periods(test.now)[1]
		if b := week.before; !week.since.Equal(test.begins) || !b.since.Equal(test.since) || !b.until.Equal(test.until) {
			t.Errorf("%v: got %v, compared with %v to %v", test.now, week.since, b.since, b.until)
		}
		if bars := week.steps(usage.Day, time.Time{}); len(bars) != 7 {
			t.Errorf("%v: got bars for %v", test.now, bars)
		}
	}
	if b := periods(at(9, 7, 0, 30))[0].before; !b.since.Equal(at(9, 6, 1, 0)) || b.until.Before(b.since) {
		t.Errorf("00:30 of the day before, which it did not have: got %v to %v", b.since, b.until)
	}
}
