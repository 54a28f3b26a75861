package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/usage"
)

func getSession(t *testing.T, p *Page, id string) (status int, body string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/session/x", http.NoBody)
	r.SetPathValue("id", id)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestSessionPage(t *testing.T) {
	s := ordinary()
	sessions := s.List()
	newest, oldest := sessions[0], sessions[len(sessions)-1]
	gone := func(text string) []string { return []string{text, ">Totals <", "claude --resume ", "<dt>Cost</dt>"} }
	for _, test := range []struct {
		name, id      string
		change        func(*Options)
		status        int
		want, without []string
	}{
		{
			"with transcripts", newest.ID, nil, http.StatusOK,
			[]string{
				"<code>claude --resume " + newest.ID + "</code>", "<bdi>" + newest.Project + "</bdi>", "Cost over time", "Sub-agents",
				"<bdi>Explore </bdi>", ">Tools <", `href="../"`, "<dt>Started</dt>",
				"Why it cost that much", "tokens were written to the cache again because the tools changed: $", "Context of each request", "auto compaction, ",
				">Written to the cache again<", `<td class="text">Tools changed</td>`, "A person, for one call</th><td class=\"text\">Permitted</td>",
			},
			[]string{"Unknown session", `href="?`},
		},
		{"deleted", oldest.ID, nil, http.StatusOK, gone("do not exist any more"), []string{"Cost over time"}},
		{
			"unreadable", newest.ID, func(o *Options) {
				o.ReadSessions = reads(func(ledger.SessionID) (d ledger.SessionDetail, ok bool, err error) {
					return d, false, errors.New("they are too large")
				})
			},
			http.StatusOK, gone("are not shown: they are too large."), []string{"Cost over time"},
		},
		{
			"without usage", newest.ID, func(o *Options) {
				o.ReadSessions = reads(func(ledger.SessionID) (d ledger.SessionDetail, ok bool, err error) {
					return ledger.SessionDetail{History: ledgertest.New(now, nil).History(), Failed: 2}, true, nil
				})
			},
			http.StatusOK, gone("2 transcripts cannot be read"), []string{"Cost over time", "Sub-agents"},
		},
		{"unknown", "<script>", nil, http.StatusNotFound, []string{"No such session"}, []string{"<script>", "--resume"}},
		{
			"catching up", newest.ID, func(o *Options) {
				o.Sessions = func(ledger.SessionQuery) (ledger.SessionList, bool) { return ledger.SessionList{}, false }
			},
			http.StatusServiceUnavailable, []string{"Catching up"}, []string{"No such session"},
		},
	} {
		changes := []func(*Options){func(*Options) {}}
		if test.change != nil {
			changes = append(changes, test.change)
		}
		status, page := getSession(t, newTestPage(s, changes...), test.id)
		if status != test.status {
			t.Errorf("%s: got status %d", test.name, status)
		}
		check(t, page, test.want, test.without)
	}
}

// The parts of the page add up to the usage in the transcripts.
func TestSessionDetail(t *testing.T) {
	s := ordinary()
	d, _, err := s.ReadSession(ledger.SessionID{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := newSessionDetail(&d, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	all, err := usage.Compute(&d.History, usage.Query{})
	if err != nil {
		t.Fatal(err)
	}
	requests, agents, bars := 0, 0, 0.
	for _, m := range got.Chart.Series {
		requests += int(m.Values[usage.Requests])
	}
	for _, a := range got.Agents {
		agents += a.Requests
	}
	for _, b := range got.Chart.Bars {
		n := 0.
		_, _ = fmt.Sscanf(b.Total, "$%g", &n)
		bars += n
	}
	if want := int(all.Total[usage.Requests]); requests != want || math.Abs(bars-all.Total.USD()) > 0.005*float64(len(got.Chart.Bars)) || agents == 0 || agents >= want || got.Tools.Calls != int(all.Total[usage.ToolCalls]) {
		t.Errorf("got %d requests, %d of sub-agents, $%.2f in bars and %d tool calls; want %d and %d",
			requests, agents, bars, got.Tools.Calls, want, all.Total[usage.ToolCalls])
	}
}

// Of very many sub-agents, the largest by tokens are listed.
func TestManySubagents(t *testing.T) {
	s := ordinary()
	d, _, _ := s.ReadSession(ledger.SessionID{})
	for i := range maxAgents {
		d.Agents = append(d.Agents, ledger.SessionAgent{Name: fmt.Sprint("agent-", i)})
	}
	got, err := newSessionDetail(&d, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Agents); n == 0 || n > maxAgents || n+got.More != len(d.Agents) || got.Agents[0].Requests == 0 {
		t.Errorf("got %d sub-agents and %d more", n, got.More)
	}
}

// Steps are short enough for at most some 150 bars.
func TestSessionChart(t *testing.T) {
	for hours, want := range map[int]usage.Step{0: usage.FiveMinutes, 6: usage.FiveMinutes, 7: usage.Hour, 120: usage.Hour, 121: usage.Day} {
		if got := sessionStep(time.Duration(hours) * time.Hour); got != want {
			t.Errorf("%d hours: got %s", hours, got)
		}
	}
	for highest, want := range map[float64]string{1: "[0 1] 1", 3: "[0 1 2 3] 3", 4: "[0 1 2 3 4] 4", 5: "[0 2 4 6] 6", 9: "[0 5 10] 10", 10: "[0 5 10] 10", 100: "[0 25 50 75 100] 100"} {
		if top, ticks := tokens.axis(highest); fmt.Sprint(ticks, top) != want {
			t.Errorf("%v: got %v %v, want %s", highest, ticks, top, want)
		}
	}
}

// Only ids that are fit for a path have a link. It identifies the source.
func TestSessionURL(t *testing.T) {
	for id, want := range map[string]string{
		"0b6c1f2e-1111-4111-8111-000000000001": "session/0b6c1f2e-1111-4111-8111-000000000001", "": "", "..": "", "a/b": "", "a?b": "session/a%3Fb",
		"a b": "", "a%b": "", "é": "",
	} {
		if got := sessionURL(ledger.SessionID{ID: id}); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
	session := ledger.SessionID{Source: counters.NewSourceLabels(map[string]string{"user": "ann&", "team": "x y"}), ID: "a"}
	want := "session/a?team=x+y&user=ann%26"
	if got := sessionURL(session); got != want {
		t.Errorf("with labels: got %q, want %q", got, want)
	}
	if r := httptest.NewRequest(http.MethodGet, "/"+want, http.NoBody); sessionOf("a", r.URL.Query()) != session {
		t.Errorf("got %q of the URL", sessionOf("a", r.URL.Query()))
	}
}

// One request at a time reads transcripts; other requests wait until it ends or
// disconnect.
func TestReadsOneSessionAtATime(t *testing.T) {
	s := ordinary()
	entered, leave := make(chan struct{}), make(chan struct{})
	p := newTestPage(s, func(o *Options) {
		o.ReadSessions = reads(func(ledger.SessionID) (d ledger.SessionDetail, ok bool, err error) {
			entered <- struct{}{}
			<-leave
			return d, false, nil
		})
	})
	id := s.List()[0].ID
	done := make(chan string)
	go func() {
		_, page := getSession(t, p, id)
		done <- page
	}()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.session(ctx, ledger.SessionID{ID: id}); !errors.Is(err, context.Canceled) {
		t.Errorf("a second request: got error %v", err)
	}
	close(leave)
	if page := <-done; !strings.Contains(page, "do not exist any more") {
		t.Errorf("got %s", page)
	}
}

// A request that has waited for other sessions too long is answered with 503, and the
// page does not wait for sessions.
func TestManySessionsAtATime(t *testing.T) {
	s := ordinary()
	p := newTestPage(s)
	synctest.Test(t, func(t *testing.T) {
		p.reading = make(chan struct{}, 1)
		p.working = make(chan struct{}, 1)
		p.reading <- struct{}{}
		started := time.Now()
		if code, _ := get(t, p, ""); code != http.StatusOK || time.Since(started) != 0 {
			t.Errorf("the page: status %d after %v", code, time.Since(started))
		}
		code, body := getSession(t, p, s.List()[0].ID)
		if code != http.StatusServiceUnavailable || !strings.Contains(body, "try again later") || time.Since(started) != readingWait {
			t.Errorf("a session: status %d after %v: %s", code, time.Since(started), body)
		}
	})
}

// reads returns a source of sessions that a function reads.
func reads(read usage.SessionReader) func(context.Context) usage.SessionReader {
	return func(context.Context) usage.SessionReader { return read }
}
