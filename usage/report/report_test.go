package report

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// golden compares output with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	difftest.Golden(t, filepath.Join("testdata", name), got)
}

func day(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }

// values returns the usage of requests that cost millionths of a dollar.
func values(requests, cost uint64) usage.Values {
	return usage.Values{
		usage.Cost: cost * 1000, usage.InputTokens: 7 * requests, usage.OutputTokens: 1234 * requests,
		usage.CacheReadTokens: 56789 * requests, usage.CacheWrite5mTokens: 2345 * requests, usage.CacheWrite1hTokens: requests,
		usage.Requests: requests,
	}
}

var usageMeasures = []usage.Measure{
	usage.Cost, usage.InputTokens, usage.OutputTokens, usage.CacheReadTokens, usage.CacheWrite5mTokens,
	usage.CacheWrite1hTokens, usage.Requests, usage.UnpricedTokens,
}

// answer returns a usage with the total of its rows.
func answer(q usage.Query, measures []usage.Measure, rows ...usage.Row) *usage.Usage {
	q.Location, q.Step = time.UTC, cmp.Or(q.Step, usage.Total)
	u := &usage.Usage{Query: q, Measures: measures, Recorded: day(1).Add(90 * time.Minute), Rows: rows}
	for i := range rows {
		u.Total.Add(&rows[i].Values)
	}
	return u
}

func days() *usage.Usage {
	return answer(usage.Query{Step: usage.Day, Since: day(16), Until: day(23)}, usageMeasures,
		usage.Row{Start: day(16), Values: values(9, 812_345)},
		usage.Row{Start: day(17), Values: values(1234, 1_234_567_890)},
		usage.Row{Start: day(19), Values: values(321, 98_765_432)},
		usage.Row{Start: day(22), Values: values(1, 1)},
	)
}

// hostile has projects with any names. The tokens without a price have no project.
func hostile() *usage.Usage {
	u := answer(usage.Query{By: []string{"project"}, Where: map[string][]string{"model": {"a\nb", "opus"}}}, slices.Clip(usageMeasures[:len(usageMeasures)-1]),
		usage.Row{Labels: []string{"web"}, Values: values(10, 5_000_000)},
		usage.Row{Labels: []string{"日本語のプロジェクト"}, Values: values(20, 10_000_000)},
		usage.Row{Labels: []string{"\x1b[31mred\x07\r\n"}, Values: values(5, 2_500_000)},
		usage.Row{Labels: []string{"e\u0301te\u0301 \u202egnp"}, Values: values(4, 2_000_000)},
		usage.Row{Labels: []string{""}, Values: values(3, 1_500_000)},
		usage.Row{Labels: []string{strings.Repeat("a-very-long-name-", 20)}, Values: values(2, 0)},
	)
	u.Undated = values(3, 4_560_000)
	u.Unpriced = map[string]uint64{"mystery-1": 120_754, "\x1bother": 1_000_000}
	return u
}

func tools() *usage.Usage {
	row := func(tool string, calls, failed, millis, bytes uint64) usage.Row {
		return usage.Row{Labels: []string{tool}, Values: usage.Values{
			usage.ToolCalls: calls, usage.ToolErrors: failed, usage.ToolResults: calls, usage.ToolTime: millis, usage.ToolResultBytes: bytes,
		}}
	}
	measures := []usage.Measure{usage.ToolCalls, usage.ToolErrors, usage.ToolResults, usage.ToolTime, usage.ToolResultBytes}
	return answer(usage.Query{By: []string{"tool"}, Since: day(16)}, measures,
		row("Bash", 1500, 45, 1500*2345, 1_234_567_890), row("Read", 800, 1, 800*12, 99_999_999), row("Task", 7, 0, 7*301_000, 12_345), row("unknown", 0, 3, 0, 0))
}

func TestWrite(t *testing.T) {
	models := answer(usage.Query{Step: usage.Month, By: []string{"model", "mcp_server"}}, usageMeasures,
		usage.Row{Start: day(1), Labels: []string{"opus", ""}, Values: values(1, 2_000_000)},
		usage.Row{Start: day(1), Labels: []string{"sonnet", "a"}, Values: values(2, 3_000_000)},
		usage.Row{Start: day(1).AddDate(0, 1, 0), Labels: []string{"opus", "a"}, Values: values(1, 1_000_000)},
	)
	unpriced := answer(usage.Query{Step: usage.Hour}, []usage.Measure{usage.InputTokens, usage.OutputTokens},
		usage.Row{Start: day(1).Add(9 * time.Hour), Values: values(4, 0)}, usage.Row{Start: day(1).Add(10 * time.Hour), Values: values(2, 0)})
	hours := answer(usage.Query{Step: usage.Hour, By: []string{"project"}}, usageMeasures,
		usage.Row{Start: day(1).Add(9 * time.Hour), Labels: []string{"a-long-name-of-a-project"}, Values: values(1234, 1_234_567_890)},
		usage.Row{Start: day(1).Add(10 * time.Hour), Labels: []string{"web"}, Values: values(2, 3_000_000)})
	for _, test := range []struct {
		name string
		u    *usage.Usage
		o    Options
	}{
		{"days-80.txt", days(), Options{Width: 80}},
		{"days-160.txt", days(), Options{Width: 160}},
		{"days-40.txt", days(), Options{Width: 40}},
		{"days-20.txt", days(), Options{Width: 20}},
		{"days-color.txt", days(), Options{Width: 80, Color: true}},
		{"hostile-80.txt", hostile(), Options{Width: 80}},
		{"hostile-50.txt", hostile(), Options{Width: 50}},
		{"tools.txt", tools(), Options{Width: 80}},
		{"reasons.txt", answer(usage.Query{Step: usage.Total, By: []string{"reason"}}, []usage.Measure{usage.ToolErrors, usage.RewrittenTokens, usage.RewrittenCost},
			usage.Row{Labels: []string{"idle_expired"}, Values: usage.Values{usage.RewrittenTokens: 1_234_567, usage.RewrittenCost: 7_098_760_000}},
			usage.Row{Labels: []string{"model_change"}, Values: usage.Values{usage.RewrittenTokens: 4_567, usage.RewrittenCost: 26_000_000}},
		), Options{Width: 80}},
		{"models.txt", models, Options{Width: 100}},
		{"unpriced.txt", unpriced, Options{Width: 80}},
		{"total.txt", answer(usage.Query{Step: usage.Total}, usageMeasures, usage.Row{Values: values(5, 7)}), Options{Width: 80}},
		{"hours-80.txt", hours, Options{Width: 80}},
		{"hours-36.txt", hours, Options{Width: 36}},
		{"empty.txt", answer(usage.Query{Step: usage.Day, Since: day(16)}, usageMeasures), Options{Width: 80}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := Write(&b, test.u, test.o); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name, b.String())
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if n := terminal.Width(line); !test.o.Color && (n > test.o.Width || strings.ContainsAny(line, "\x1b\x07\r\u202e")) {
					t.Errorf("a line of %d columns: %q", n, line)
				}
			}
		})
	}
}

// Different models have different texts, however long their names and whatever else is
// left out.
func TestModelsDiffer(t *testing.T) {
	names := []string{
		"opus-4-8", "acme-preview-2026-11-01", "acme-preview-2026-11-02", "an-arn-of-an-application-inference-profile-x1", "an-arn-of-an-application-inference-profile-x2",
	}
	for _, by := range [][]string{{usage.ModelNameLabel}, {"project", usage.ModelNameLabel}} {
		var rows []usage.Row
		for i, name := range names {
			rows = append(rows, usage.Row{Start: day(16), Labels: []string{"a-long-name-of-a-project", name}[2-len(by):], Values: values(1234, uint64(i)*1_234_567_890)})
		}
		u := answer(usage.Query{Step: usage.Day, By: by, Since: day(16)}, usageMeasures, rows...)
		var b strings.Builder
		if err := Write(&b, u, Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		found := make(map[string]bool)
		for line := range strings.Lines(b.String()) {
			if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("a line of %d columns: %q", n, line)
			}
			if cells := strings.Fields(line); strings.HasPrefix(line, "2026-11-16") {
				found[cells[len(by)]] = true
			}
		}
		if len(found) != len(names) {
			t.Errorf("got models %v in\n%s", found, b.String())
		}
	}
}

func TestWriteCSV(t *testing.T) {
	u := hostile()
	u.Step, u.Measures = usage.Day, append(u.Measures, usage.ToolTime)
	for i := range u.Rows {
		u.Rows[i].Start = day(16)
	}
	var b strings.Builder
	if err := WriteCSV(&b, u); err != nil {
		t.Fatal(err)
	}
	golden(t, "hostile.csv", b.String())
}

// CSV has the names of models once: in a column that is asked for, or beside the ids.
func TestModelNames(t *testing.T) {
	for name, by := range map[string][]string{"modelnames.csv": {"model"}, "modelcolumns.csv": {"model", usage.ModelNameLabel}} {
		labels := [][]string{{"claude-opus-4-8", "opus-4-8"}, {"us.anthropic.claude-opus-4-8-v1", "opus-4-8"}, {"claude-sonnet-5", "sonnet-5"}}
		var rows []usage.Row
		for _, all := range labels {
			rows = append(rows, usage.Row{Labels: all[:len(by)], Values: values(1, 2_000_000)})
		}
		var csv strings.Builder
		if err := WriteCSV(&csv, answer(usage.Query{By: by}, usageMeasures, rows...)); err != nil {
			t.Fatal(err)
		}
		golden(t, name, csv.String())
	}
}

// Labels cannot be formulas of a spreadsheet.
func TestFormulas(t *testing.T) {
	for label, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": `'\t=1`, "\r=1": `'\r=1`,
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠SUM(A1)": "'＠SUM(A1)", "﹦1": "'﹦1", "⁺1": "'⁺1", " =1": "' =1", "\u3000＝1": `'\u3000＝1`,
		"\u200b=1": `'\u200b=1`, "−1": "'−1", "=\u0338": "'=\u0338", "\n=1": `'\n=1`,
		"web": "web", "a=1": "a=1", "": "", "\x1b[31m": `\x1b[31m`, "日本": "日本", " web": " web", "é": "é",
	} {
		if got := cell(label); got != want {
			t.Errorf("%q: got %s, want %s", label, got, want)
		}
	}
}

// The cost of a session with tokens that have no price is a lower bound.
func TestSessionCost(t *testing.T) {
	last, usd := day(16), 5.02
	u := Sessions(api.Sessions{Sessions: []api.Session{
		{ID: "0b6cf7aa-5d3f-4f7e-9a60-2d2f2e1f8a11", Project: "exact-with-a-long-name", Last: last, CostUSD: &usd, OutputTokens: 9},
		{ID: "unpriced", Last: last, CostUSD: &usd, OutputTokens: 9, UnpricedTokens: 1234},
	}}, time.UTC)
	var b strings.Builder
	if err := Write(&b, &u, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "sessions.txt", b.String())
}

func TestWriteFails(t *testing.T) {
	for _, write := range []func() error{
		func() error { return Write(broken{}, days(), Options{Width: 80}) },
		func() error { return WriteCSV(broken{}, days()) },
	} {
		if err := write(); !errors.Is(err, errFull) {
			t.Errorf("got %v, want %v", err, errFull)
		}
	}
}

var errFull = errors.New("full")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errFull }
