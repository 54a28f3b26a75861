package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// Responses have no characters that control a terminal or have no appearance, whatever
// names the files contain and whatever is requested. Their values are the same.
func TestInvisibleCharacters(t *testing.T) {
	const name = "web\u202egnp\u200b\u2066\ufeff\U000e0041"
	l := ledgertest.New(started, nil)
	s := transcripttest.Session{ID: "s", Name: "s", CWD: "/src/NAME", Start: started}
	s.Prompt("go").Reply(transcripttest.Reply{ID: "m", In: 7, Stop: "end_turn"})
	ledgertest.Add(l, 1, map[string]string{"user": name}, strings.ReplaceAll(s.String(), "NAME", name), now)
	h := Handler(Options{Source: usage.Source{
		History:  func() (counters.History, bool) { return l.History(), true },
		Sessions: func(q ledger.SessionQuery) (ledger.SessionList, bool) { return l.SessionList(q, now.UnixMilli()), true },
		Now:      func() time.Time { return now },
	}})
	for path, status := range map[string]int{
		UsagePath + "?by=project,user": http.StatusOK, SessionsPath: http.StatusOK, HistoryPath: http.StatusOK,
		UsagePath + "?by=" + url.QueryEscape(name): http.StatusBadRequest, SessionsPath + "?limit=" + url.QueryEscape(name): http.StatusBadRequest,
	} {
		w := get(h, path)
		body := w.Body.String()
		if i := strings.IndexFunc(body, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 || w.Code != status {
			t.Errorf("%s: status %d, %q", path, w.Code, body)
		}
		if status == http.StatusOK && !strings.Contains(body, `"web\u202egnp\u200b\u2066\ufeff\udb40\udc41"`) {
			t.Errorf("%s: got %s without the name", path, body)
		}
	}
}
