package top

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// The picture in the documentation equals the program's screen.
func TestPicture(t *testing.T) {
	at := now.Add(-time.Hour)
	today := &usage.Usage{Measures: []usage.Measure{usage.Cost}}
	today.Total[usage.Cost], today.Total[usage.CacheReadTokens], today.Total[usage.Requests] = 48_170_000_000, 61_400_000, 902
	limits := &api.Limits{Time: now, Windows: []api.Window{
		{Name: "five_hour", UsedRatio: 0.42, Resets: now.Add(133 * time.Minute)}, {Name: "seven_day", UsedRatio: 0.18, Resets: now.Add(76 * time.Hour)},
	}}
	session := func(id, project, model string, context, in, cached, out uint64, cost float64, requests, tools, errs uint64, age time.Duration) api.Session {
		return api.Session{
			ID: id, Project: project, Model: model, ContextTokens: context, InputTokens: in - cached, CacheReadTokens: cached, OutputTokens: out,
			CostUSD: new(cost), Requests: requests, ToolCalls: tools, ToolErrors: errs, Live: age < 5*time.Minute, Last: ago(age),
		}
	}
	v := &view{data: Data{Today: today, Limits: limits, Sessions: api.Sessions{Time: now, Live: 3, Sessions: []api.Session{
		session("5f0c2a7e", "web", "claude-opus-4-8", 168_000, 21_400_000, 20_900_000, 184_000, 19.62, 241, 212, 3, 2*time.Second),
		session("c41d80f3", "api", "claude-opus-4-8", 61_300, 4_870_000, 4_610_000, 51_200, 5.18, 88, 71, 0, 14*time.Second),
		session("0b6cf7aa", "infra", "claude-haiku-4-5", 23_900, 902_000, 801_000, 12_700, 0.31, 34, 41, 1, 3*time.Minute),
		session("e977d215", "web", "claude-sonnet-5", 112_000, 9_240_000, 8_980_000, 77_900, 5.02, 120, 96, 2, 47*time.Minute),
		session("93a61b0c", "docs", "claude-sonnet-5", 40_100, 1_320_000, 1_150_000, 20_300, 1.27, 29, 18, 0, 9*time.Hour),
	}}}, received: at}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "terminal.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range v.lines(98, 10, at) {
		if text := strings.TrimRight(l.String(), " "); !strings.Contains(string(document), "\n"+strings.TrimRight("    "+text, " ")+"\n") {
			t.Errorf("not in docs/terminal.md: %s", text)
		}
	}
}
