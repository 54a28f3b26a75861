package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/usage"
)

// The activity has 7 input tokens on the first of March, and 11 on the second.
func TestUsage(t *testing.T) {
	for query, want := range map[string][]string{
		"":                       {"18"},
		"step=day":               {"2026-03-01T00:00:00Z 7", "2026-03-02T00:00:00Z 11"},
		"step=day&tz=Asia/Tokyo": {"2026-03-01T00:00:00+09:00 7", "2026-03-02T00:00:00+09:00 11"},
		"by=project,model":       {"model=opus,model_name=opus,project=web 18"},
		"by=project&by=model":    {"model=opus,model_name=opus,project=web 18"},
		"by=project,project,":    {"project=web 18"},
		"project=web":            {"18"},
		"project=a&project=web":  {"18"},
		"project=a":              nil,
		"user=ann&by=user":       {"user=ann 18"},
		"since=today":            {"11"},
		"since=2d":               {"18"},
		"until=yesterday":        {"7"},
	} {
		w := get(handler(activity(nil)), UsagePath+"?"+query)
		var u usage.Usage
		if err := json.Unmarshal(w.Body.Bytes(), &u); err != nil || w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: status %d, %v", query, w.Code, err)
			continue
		}
		if got := describe(w.Body.Bytes()); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// describe returns the start, labels and input tokens of each row.
func describe(body []byte) (rows []string) {
	var u struct {
		Rows []struct {
			Start  string
			Labels map[string]string
			Values map[string]float64
		}
	}
	if json.Unmarshal(body, &u) != nil {
		return nil
	}
	for _, r := range u.Rows {
		values := make(url.Values)
		for name, value := range r.Labels {
			values.Set(name, value)
		}
		labels := strings.ReplaceAll(values.Encode(), "&", ",")
		rows = append(rows, strings.Join(strings.Fields(r.Start+" "+labels+" "+fmt.Sprint(r.Values["input_tokens"])), " "))
	}
	return rows
}

func TestUsageRefused(t *testing.T) {
	for _, test := range []struct {
		query  string
		status int
		text   string
	}{
		{"since=sometime", 400, `since: "sometime": expected a time such as`},
		{"since=today&since=7d", 400, "since: given more than once"},
		{"since=today&until=yesterday", 400, "since must be before until"},
		{"step=year", 400, `step: unknown step "year": use one of total, 5m, hour, day, week, month`},
		{"tz=Mars/Olympus", 400, `tz: "Mars/Olympus": expected a time zone such as Europe/Berlin, UTC or +05:30`},
		{"tz=../../etc/passwd", 400, `tz: "../../etc/passwd": expected`},
		{"by=color", 400, `unknown label "color": use one of agent, change, `},
		{"by=model,tool", 400, "no metric has the labels model and tool: use fewer labels"},
		{"from=7d", 400, `unknown label "from": use one of agent, change, `},
		{"by=%zz", 400, `invalid URL escape "%zz"`},
	} {
		w := get(handler(activity(nil)), UsagePath+"?"+test.query)
		var failure struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &failure); err != nil || w.Code != test.status || !strings.HasPrefix(failure.Error, test.text) {
			t.Errorf("%q: got %d, %v and %q, want %q", test.query, w.Code, err, failure.Error, test.text)
		}
	}
	off := activity(func(o *ledger.Options) { o.FineHistory = 0 })
	if w := get(handler(off), UsagePath); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `{"error":"no history is recorded: `) {
		t.Errorf("got %d and %s", w.Code, w.Body)
	}
}

func TestParseUsage(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	sunday := time.Date(2026, 3, 29, 14, 33, 7, 0, berlin) // clocks go forward at 2
	for text, want := range map[string][2]string{          // since and until
		"":                          {"", ""},
		"all":                       {"", ""},
		"today":                     {"2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"},
		"yesterday":                 {"2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00"},
		"2026-03-29":                {"2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"},
		"2026-02":                   {"2026-02-01T00:00:00+01:00", "2026-03-01T00:00:00+01:00"},
		"1d":                        {"2026-03-29T00:00:00+01:00", "2026-03-29T00:00:00+01:00"},
		"7d":                        {"2026-03-23T00:00:00+01:00", "2026-03-23T00:00:00+01:00"},
		"2w":                        {"2026-03-16T00:00:00+01:00", "2026-03-16T00:00:00+01:00"},
		"365d":                      {"2025-03-30T00:00:00+01:00", "2025-03-30T00:00:00+01:00"},
		"1y":                        {"2025-03-30T00:00:00+01:00", "2025-03-30T00:00:00+01:00"},
		"1w1d":                      {"2026-03-22T00:00:00+01:00", "2026-03-22T00:00:00+01:00"},
		"12h":                       {"2026-03-29T01:30:00+01:00", "2026-03-29T01:30:00+01:00"},
		"1d12h":                     {"2026-03-28T01:30:00+01:00", "2026-03-28T01:30:00+01:00"},
		"2026-03-29T08:01:02+02:00": {"2026-03-29T08:01:02+02:00", "2026-03-29T08:01:02+02:00"},
	} {
		since, err1 := ParseUsage(url.Values{"since": {text}}, sunday.UTC(), berlin)
		until, err2 := ParseUsage(url.Values{"until": {text}}, sunday.UTC(), berlin)
		got := [2]string{moment(since.Since), moment(until.Until)}
		if err1 != nil || err2 != nil || got != want {
			t.Errorf("%q: got %q, %v and %v, want %q", text, got, err1, err2, want)
		}
	}
	for _, text := range []string{"-1d", "99999999d", "2026-13", "2026-02-30", "tomorrow", "d", "7", "1e9d"} {
		if q, err := ParseUsage(url.Values{"since": {text}}, sunday, berlin); err == nil {
			t.Errorf("%q: got %v without an error", text, q.Since)
		}
	}
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// A query that asks for everything is limited, and every query is fast.
func TestHostileQuery(t *testing.T) {
	l := ledger.New(ledgertest.Options(), started.UnixMilli())
	h := handler(l)
	for _, query := range []string{
		"step=5m&since=2016-01-01&until=2036-01-01&by=agent,model,project,type",
		"step=5m&since=0001-01-01&until=9999-12-31",
		"step=month&since=3000w&tz=Africa/Cairo",
		"project=" + strings.Repeat("a&project=", 9_000) + "a",
		"by=" + strings.Repeat("model,project,", 5000),
	} {
		begin := time.Now()
		if w := get(h, UsagePath+"?"+query); w.Code != http.StatusOK || time.Since(begin) > 5*time.Second {
			t.Errorf("%.80s: status %d after %v: %.200s", query, w.Code, time.Since(begin), w.Body)
		}
	}
}
