package daemon

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// abuseOf returns lines of a user who knows the id of another user's session.
func abuseOf(id string) string {
	s := &session{Name: "abuse", ID: id, CWD: "/home/ann/gain"}
	reported := fmt.Sprintf(`{"type":"cost-state","sessionId":%q,"modelUsage":{"opus":{"inputTokens":5000000000,"outputTokens":5000000000}}}`, id) + "\n"
	return reported + s.Line("user", `,"message":{"content":"mine"}`).String() +
		s.Reply(reply{ID: "msg_of_the_other_user_1", In: 5_000_000_000, Out: 5_000_000_000, Stop: "end_turn"}).String() + reported
}

// reportOf returns the totals that Claude Code states of a session.
func reportOf(id string, output int) string {
	return fmt.Sprintf(`{"type":"cost-state","sessionId":%q,"modelUsage":{"opus":{"inputTokens":1,"outputTokens":%d}}}`, id, output) + "\n"
}

// A user who knows the id of another user's session cannot change its totals, its page
// or its metrics, live or at rest, over a restart, with events and without.
func TestSessionsOfOtherSources(t *testing.T) {
	type abuse struct {
		watches     int
		first, live bool
	}
	cases := make(map[string]abuse)
	for _, watches := range []int{maxWatches, -1} {
		for _, first := range []bool{false, true} {
			for _, live := range []bool{false, true} {
				cases[fmt.Sprintf("%d watches, abuse first %v, live %v", watches, first, live)] = abuse{watches, first, live}
			}
		}
	}
	runCases(t, cases, func(h *harness, c abuse) {
		ann, bob := map[string]string{"user": "ann"}, map[string]string{"user": "bob"}
		h.settings.MaxWatches = c.watches
		h.settings.Sources = func() []follow.Source {
			return []follow.Source{{Path: h.Path("ann"), Labels: ann}, {Path: h.Path("bob"), Labels: bob}}
		}
		copied := replies("b", 2) // joins the transcripts, and counts for the first source
		if c.first {
			copied = ""
		}
		type file struct{ path, content string }
		files := []file{
			{"bob/p/b.jsonl", replies("b", 3) + reportOf("b", 700)},
			{"ann/p/b.jsonl", copied + abuseOf("b")},
		}
		if c.first {
			slices.Reverse(files)
		}
		if c.live {
			h.start()
		}
		for i, f := range files {
			h.Write(f.path, f.content)
			// Files at rest, as of a page, are read in this order.
			h.Touch(f.path, time.Now().Add(time.Duration(i-len(files))*time.Minute))
			if c.live {
				h.waitForSessions(i + 1)
			}
		}
		if !c.live {
			h.start()
			h.waitForSessions(2)
		}
		h.expireMessageTimeout()
		for range 2 {
			h.waitUntil("all messages are counted", func() bool {
				samples := h.released()
				return sum(samples, "claude_requests_total", "user", "bob") == 3 && sum(samples, "claude_reported_sessions_total") == 2
			})
			h.checkSessionOf(bob)
			h.restart()
		}
	})
}

func (h *harness) waitForSessions(n int) {
	h.Helper()
	h.waitUntil(fmt.Sprint(n, " sessions are counted"), func() bool { return sum(h.released(), "claude_sessions_total") == float64(n) })
}

// released returns the samples with the values of new series.
func (h *harness) released() exposition.Samples {
	h.Helper()
	h.totals()
	return h.samples()
}

// checkSessionOf checks session b, which has three replies and 700 reported tokens.
func (h *harness) checkSessionOf(user map[string]string) {
	h.Helper()
	source := counters.NewSourceLabels(user)
	samples := h.released()
	checkEqual(h, "reported", sum(samples, "claude_reported_tokens_total", "user", user["user"], "type", "output"), 700)
	var own *ledger.SessionTotals
	sessions := sessionsOf(h, h.d)
	checkEqual(h, "listed sessions", len(sessions), 2)
	for i := range sessions {
		checkEqual(h, "id", sessions[i].ID, "b")
		if sessions[i].Source == source {
			own = &sessions[i]
		}
	}
	if own == nil {
		h.Fatalf("the session is not listed: %+v", sessions)
	}
	checkEqual(h, "requests", own.Requests, 3)
	list, _ := h.d.Sessions(ledger.SessionQuery{Limit: 1, Since: math.MinInt64, ID: "b", Source: source})
	checkEqual(h, "sessions asked for", len(list.Sessions), 1)
	checkEqual(h, "the session asked for", list.Sessions[0], *own)
	detail, ok, err := h.d.ReadSessions(h.Context())(ledger.SessionID{Source: source, ID: "b"})
	h.Must(err)
	checkEqual(h, "has transcripts", ok, true)
	checkEqual(h, "its transcripts", detailTotals(h, &detail), countsOf(own))
	if strings.Contains(fmt.Sprint(own), "gain") {
		h.Errorf("got the project of another user: %+v", own)
	}
}
