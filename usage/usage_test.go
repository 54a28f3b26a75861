package usage

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A request is one API response in a test.
type request struct {
	at, project, model, user string
	input, output            int
	tool                     string // called, if not empty
}

// now is when the requests are read.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// recordOf returns the record of some requests, each in a file of its own.
func recordOf(t testing.TB, all ...request) *counters.History {
	t.Helper()
	return recordWith(t, ledgertest.Options(), all...)
}

// recordWith returns the record of some requests in a ledger with options.
func recordWith(t testing.TB, o ledger.Options, all ...request) *counters.History {
	t.Helper()
	l := ledger.New(o, now.UnixMilli())
	parser := transcript.NewParser()
	for i, r := range all {
		content := `[]`
		if r.tool != "" {
			content = fmt.Sprintf(`[{"type":"tool_use","id":"call%d","name":%q,"input":{}}]`, i, r.tool)
		}
		line := fmt.Sprintf(`{"type":"assistant","uuid":"u%d","sessionId":"s","timestamp":%q,"message":{"id":"m%d",`+
			`"role":"assistant","model":%q,"stop_reason":"end_turn","content":%s,"usage":{"input_tokens":%d,"output_tokens":%d}}}`,
			i, r.at, i, r.model, content, r.input, r.output)
		var buffer transcript.Buffer
		parser.Parse([]byte(line), true, &buffer)
		for j := range buffer.Entries {
			e := &buffer.Entries[j]
			e.AssignKeys(func() transcript.Key { return transcript.KeyOf(fmt.Sprint(i, j)) })
			e.Project, e.HasProject = r.project, true
		}
		id := ledger.FileID(i + 1)
		file := ledger.File{ID: id, Kind: transcript.KindOf("s.jsonl"), Name: transcript.KeyOf(fmt.Sprint(i))}
		if r.user != "" {
			file.Source = counters.NewSourceLabels(map[string]string{"user": r.user})
		}
		l.Open(file)
		l.AddBatch(&ledger.Batch{File: id, Now: now.UnixMilli(), Entries: buffer.Entries})
	}
	l.Settle()
	h := l.History()
	return &h
}

// team is a record over three days, in two projects.
func team(t testing.TB) *counters.History {
	return recordOf(t,
		request{at: "2026-11-16T23:30:00Z", project: "web", model: "opus", user: "ann", input: 1, output: 10, tool: "Bash"},
		request{at: "2026-11-17T00:10:00Z", project: "web", model: "opus", user: "bob", input: 2, output: 20},
		request{at: "2026-11-17T09:00:00Z", project: "lib", model: "sonnet", user: "ann", input: 4, output: 40, tool: "Read"},
		request{at: "2026-11-18T09:00:00Z", project: "lib", model: "opus", user: "ann", input: 8, output: 80, tool: "Read"},
	)
}

// rows describes the rows of a usage: start, labels, input tokens and tool calls.
func rows(t *testing.T, h *counters.History, q Query) string {
	t.Helper()
	u, err := Compute(h, q)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range u.Rows {
		start := ""
		if !r.Start.IsZero() {
			start = r.Start.Format("02T15:04")
		}
		all = append(all, fmt.Sprintf("%s %s %d %d", start, strings.Join(r.Labels, ","), r.Values[InputTokens], r.Values[ToolCalls]))
	}
	return strings.Join(all, "\n")
}

func at(text string) time.Time {
	t, err := time.Parse("2006-01-02T15:04", "2026-11-"+text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestCompute(t *testing.T) {
	berlin := time.FixedZone("Berlin", 3600)
	h := team(t)
	for _, test := range []struct {
		name string
		q    Query
		want []string
	}{
		{"total", Query{}, []string{"  15 3"}},
		{"days", Query{Step: Day}, []string{"16T00:00  1 1", "17T00:00  6 1", "18T00:00  8 1"}},
		{"days in another zone", Query{Step: Day, Location: berlin}, []string{"17T00:00  7 2", "18T00:00  8 1"}},
		{"weeks", Query{Step: Week, Location: berlin}, []string{"16T00:00  15 3"}},
		{"months", Query{Step: Month}, []string{"01T00:00  15 3"}},
		{"hours", Query{Step: Hour, Until: at("17T01:00")}, []string{"16T23:00  1 1", "17T00:00  2 0"}},
		{"five minutes", Query{Step: FiveMinutes, Until: at("17T00:10")}, []string{"16T23:30  1 1"}},
		{"since", Query{Since: at("17T09:00")}, []string{"17T09:00  12 2"}},
		{"since and until", Query{Since: at("17T00:00"), Until: at("17T09:00")}, []string{"17T00:00  2 0"}},
		{"by project", Query{By: []string{"project"}}, []string{" lib 12 2", " web 3 1"}},
		{"by two labels", Query{By: []string{"model", "project"}}, []string{" opus,lib 8 0", " opus,web 3 0", " sonnet,lib 4 0"}},
		{"by a source label", Query{By: []string{"user"}}, []string{" ann 13 3", " bob 2 0"}},
		{"by tool", Query{By: []string{"tool"}}, []string{" Bash 0 1", " Read 0 2"}},
		{"where", Query{Where: map[string][]string{"project": {"web"}}}, []string{"  3 1"}},
		{"where several", Query{Where: map[string][]string{"project": {"web", "lib"}, "user": {"bob"}}}, []string{"  2 0"}},
		{"where none", Query{Where: map[string][]string{"project": {"other"}}}, nil},
		{"days by project", Query{Step: Day, By: []string{"project"}}, []string{
			"16T00:00 web 1 1", "17T00:00 lib 4 1", "17T00:00 web 2 0", "18T00:00 lib 8 1",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, want := rows(t, h, test.q), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A source without a label has the value "" of it.
func TestWhereSourceLabel(t *testing.T) {
	h := recordOf(t,
		request{at: "2026-11-16T23:30:00Z", project: "web", model: "opus", user: "ann", input: 1, output: 10},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "unheard-of", input: 2, output: 20},
	)
	for user, want := range map[string]uint64{"ann": 1, "bob": 0, "": 2} {
		u, err := Compute(h, Query{Where: map[string][]string{"user": {user}}})
		if err != nil || u.Total[InputTokens] != want {
			t.Errorf("user %q: got %v and %v, want %d", user, u.Total, err, want)
		}
		if n := u.Unpriced["unheard-of"]; user != "" && n != 0 {
			t.Errorf("user %q: got %d unpriced tokens of another", user, n)
		}
	}
}

// Measures apply if their families have the labels of the query.
func TestMeasures(t *testing.T) {
	h := team(t)
	for _, test := range []struct {
		q        Query
		has, not Measure
	}{
		{Query{By: []string{"tool"}}, ToolErrors, Requests},
		{Query{By: []string{"model"}}, Cost, ToolCalls},
		{Query{Where: map[string][]string{"project": {"web"}}}, ToolCalls, ToolTime},
		{Query{By: []string{"user"}}, ToolCalls, APIErrors}, // no API error has a source
	} {
		u, err := Compute(h, test.q)
		if err != nil || !slices.Contains(u.Measures, test.has) || slices.Contains(u.Measures, test.not) {
			t.Errorf("%v: got %v, %v", test.q, u.Measures, err)
		}
	}
}

func TestUsage(t *testing.T) {
	h := team(t)
	u, err := Compute(h, Query{Since: at("18T00:00")})
	if err != nil {
		t.Fatal(err)
	}
	if want := at("16T23:30"); !u.Recorded.Equal(want) {
		t.Errorf("recorded since %v, want %v", u.Recorded, want)
	}
	// 8 tokens at 5 dollars a million and 80 at 25.
	if got, want := u.Total.USD(), 0.00204; got != want {
		t.Errorf("cost %v, want %v", got, want)
	}
	if got := u.Total.Tokens(); got != 88 {
		t.Errorf("got %d tokens", got)
	}
}

func TestUnknownLabel(t *testing.T) {
	for _, q := range []Query{{By: []string{"color"}}, {Where: map[string][]string{"color": {"red"}}}} {
		_, err := Compute(team(t), q)
		if err == nil || !strings.HasPrefix(err.Error(), `unknown label "color": use one of agent, change, `) {
			t.Errorf("%v: %v", q, err)
		}
	}
}

// No family has a model and a tool.
func TestUnansweredLabels(t *testing.T) {
	for _, q := range []Query{
		{By: []string{"model", "tool", "user"}},
		{By: []string{"model"}, Where: map[string][]string{"tool": {"Bash"}}},
	} {
		_, err := Compute(team(t), q)
		if want := "no metric has the labels model and tool: use fewer labels"; err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", q, err, want)
		}
	}
	if _, err := Compute(team(t), Query{By: []string{"tool", "user"}}); err != nil {
		t.Error(err)
	}
}

// Usage that was counted while no record was kept has no date.
func TestUndated(t *testing.T) {
	o := ledgertest.Options()
	o.FineHistory = 0
	l := ledger.New(o, now.UnixMilli())
	l.Open(ledger.File{ID: 1, Kind: transcript.KindOf("s.jsonl")})
	entry := transcript.Entry{Type: "user", APIError: nil, Time: now.UnixMilli()}
	entry.Prompt = &transcript.Prompt{Kind: "text"}
	entry.AssignKeys(func() transcript.Key { return transcript.KeyOf("a") })
	l.AddBatch(&ledger.Batch{File: 1, Now: now.UnixMilli(), Entries: []transcript.Entry{entry}})
	h := l.History()
	u, err := Compute(&h, Query{})
	if err != nil || u.Undated[Prompts] != 1 || u.Total[Prompts] != 0 || !u.Recorded.IsZero() {
		t.Errorf("got %v, %v, %v, %v", u.Undated, u.Total, u.Recorded, err)
	}
}

// Tokens of models without a price are listed, whatever else the query selects.
func TestUnpriced(t *testing.T) {
	h := recordOf(t,
		request{at: "2026-11-16T23:30:00Z", project: "web", model: "unheard-of", user: "ann", input: 1, output: 10},
		request{at: "2026-11-17T09:00:00Z", project: "lib", model: "unheard-of", user: "bob", input: 2, output: 20},
		request{at: "2026-11-17T09:00:00Z", project: "lib", model: "opus", user: "bob", input: 4, output: 40},
	)
	for _, test := range []struct {
		q    Query
		want uint64
	}{
		{Query{}, 33},
		{Query{Step: Day, By: []string{"project"}, Where: map[string][]string{"project": {"web"}}}, 33},
		{Query{Since: at("17T00:00")}, 22},
		{Query{Where: map[string][]string{"user": {"ann"}}}, 11},
		{Query{Where: map[string][]string{"model": {"opus"}}}, 0},
	} {
		u, err := Compute(h, test.q)
		if got := u.Unpriced["unheard-of"]; err != nil || got != test.want || len(u.Unpriced) > 1 {
			t.Errorf("%+v: got %v and %v, want %d", test.q, u.Unpriced, err, test.want)
		}
	}
}

// A query with too many rows has an error, after the time and memory for as many as
// there may be.
func TestTooManyRows(t *testing.T) {
	var all []request
	begin := now.AddDate(0, 0, -30)
	for i := range maxRows + 1 {
		at := begin.Add(time.Duration(i/100) * 5 * time.Minute).Format(time.RFC3339)
		all = append(all, request{at: at, project: fmt.Sprint(i % 100), model: "opus", input: 1})
	}
	h := recordOf(t, all...)
	for _, q := range []Query{
		{Step: FiveMinutes, By: []string{"project"}, Since: now.AddDate(-10, 0, 0)},
		{Step: FiveMinutes, By: []string{"project", "model", "agent"}, Until: now.AddDate(10, 0, 0)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Compute(h, q)
		runtime.ReadMemStats(&after)
		if want := "more than 50000 rows: use a shorter time, a longer step or fewer labels"; err == nil || err.Error() != want {
			t.Errorf("by %v: got error %v, want %s", q.By, err, want)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 40 {
			t.Errorf("by %v: used %d MB, want at most 40", q.By, used)
		}
	}
	if u, err := Compute(h, Query{Step: Hour, By: []string{"project"}}); err != nil || u.Total[Requests] != maxRows+1 {
		t.Errorf("got %v and %v", u.Total, err)
	}
}

// Several queries have the answers that each of them has alone.
func TestComputeAll(t *testing.T) {
	h := team(t)
	queries := []Query{
		{Step: Day, By: []string{"project"}},
		{Since: at("17T00:00"), Until: at("17T09:00")},
		{Step: Hour, Where: map[string][]string{"user": {"ann"}}},
		{By: []string{"tool"}, Only: []Measure{ToolCalls}},
	}
	all, err := ComputeAll(h, queries...)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range queries {
		want, err := Compute(h, q)
		if err != nil || !reflect.DeepEqual(all[i], want) {
			t.Errorf("%v: %v\n%s", q, err, difftest.Diff(want, all[i]))
		}
	}
	if _, err := ComputeAll(h, Query{}, Query{By: []string{"color"}}); err == nil {
		t.Error("an unknown label has no error")
	}
}

func TestOnly(t *testing.T) {
	u, err := Compute(team(t), Query{Step: Day, Only: []Measure{ToolCalls, OutputTokens}})
	if err != nil || !slices.Equal(u.Measures, []Measure{OutputTokens, ToolCalls}) {
		t.Errorf("got measures %v, %v", u.Measures, err)
	}
	want := Values{OutputTokens: 150, ToolCalls: 3}
	if u.Total != want || len(u.Rows) != 3 {
		t.Errorf("got %d rows, %v", len(u.Rows), u.Total)
	}
}

func TestLabelValues(t *testing.T) {
	h := team(t)
	for label, want := range map[string][]string{
		"project": {"lib", "web"}, "model": {"opus", "sonnet"}, "tool": {"Bash", "Read"}, "user": {"ann", "bob"}, "color": nil,
	} {
		if got := LabelValues(h, label); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", label, got, want)
		}
	}
}

// The ratio of errors is unknown without calls, and if more errors than calls count.
func TestToolErrorRatio(t *testing.T) {
	for _, test := range []struct {
		calls, errors uint64
		want          float64
		ok            bool
	}{
		{4, 0, 0, true}, {4, 1, 0.25, true}, {4, 4, 1, true}, {4, 5, 0, false}, {0, 0, 0, false}, {0, 1, 0, false},
	} {
		v := Values{ToolCalls: test.calls, ToolErrors: test.errors}
		if got, ok := v.ToolErrorRatio(); ok != test.ok || ok && got != test.want {
			t.Errorf("%d errors of %d calls: got %v and %v, want %v and %v", test.errors, test.calls, got, ok, test.want, test.ok)
		}
	}
}
