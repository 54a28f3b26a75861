package metrics

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// otelExposition returns an Exposition with the names of Claude Code's telemetry.
func otelExposition(p Provider) *Exposition {
	return &Exposition{Provider: p, Registry: prometheus.NewRegistry(), OTelNames: true}
}

// A usageLedger counts messages, one at a time.
type usageLedger struct {
	*ledger.Ledger
	options ledger.Options
	keys    int
}

func newUsageLedger(t *testing.T) *usageLedger {
	t.Helper()
	o := defaults(t)
	o.Prices = pricing.Default()
	return &usageLedger{Ledger: ledger.New(o, born), options: o}
}

func (l *usageLedger) SnapshotInto(s *ledger.Snapshot) bool {
	l.Ledger.SnapshotInto(s, born)
	return true
}

// message counts a message of the main conversation of a source, with as many tokens of
// each type, at a time.
func (l *usageLedger) message(source, model, project string, tokens uint64, when int64) {
	l.keys++
	id := ledger.FileID(l.keys)
	f := ledger.File{ID: id, Kind: transcript.Main}
	if source != "" {
		f.Source = ledger.NewSourceLabels(map[string]string{"user": source})
	}
	l.Open(f)
	usage := transcript.Usage{Input: tokens, Output: tokens, CacheRead: tokens, CacheWrite5m: tokens, CacheWrite1h: tokens}
	message := &transcript.Message{Key: transcript.KeyOf("otel", model+project, string(rune(l.keys))), Model: model, StopReason: "end_turn", Usage: usage}
	l.AddBatch(&ledger.Batch{File: id, Now: born, Bytes: 1, Entries: []transcript.Entry{
		{
			Type: "assistant", Time: when, HasProject: true, Project: project, Message: message,
			Session: transcript.KeyOf("session", string(rune(l.keys))),
		},
	}})
	l.Settle()
}

// restart saves the ledger and loads it again.
func (l *usageLedger) restart(t *testing.T) {
	t.Helper()
	w := codec.NewWriter(nil)
	l.Code(w)
	l.Ledger = ledger.New(l.options, born)
	r := codec.NewReader(w.Bytes())
	l.Code(r)
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
}

// prometheusName translates the name and unit of a counter as Prometheus does.
func prometheusName(metric, unit string) string {
	words := strings.FieldsFunc(metric, func(r rune) bool { return r == '.' || r == '_' })
	if unit = map[string]string{"s": "seconds"}[unit] + strings.TrimPrefix(unit, "s"); unit != "" && !slices.Contains(words, unit) {
		words = append(words, unit)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "total" })
	return strings.Join(append(words, "total"), "_")
}

// No label of a source has the name of one of the labels.
func TestOTelLabelsAreReserved(t *testing.T) {
	for _, f := range otelFamilies() {
		for _, label := range f.Labels {
			c := config.Settings()
			c.Sources = []config.Source{{Path: t.TempDir(), Labels: map[string]string{label.Name: "x"}}}
			if err := c.Validate(); err == nil {
				t.Errorf("a source may have the label %s of %s", label.Name, f.Name)
			}
		}
	}
}

// Each family has the name that Prometheus gives to Claude Code's metric, and sums an
// existing counter over existing labels.
func TestOTelFamilies(t *testing.T) {
	units := map[string]string{"claude_code.token.usage": "tokens", "claude_code.cost.usage": "USD"}
	for _, f := range otelFamilies() {
		if want := prometheusName(f.Metric, units[f.Metric]); f.Name != want {
			t.Errorf("%s: got %s, want %s", f.Metric, f.Name, want)
		}
		i := slices.IndexFunc(ledger.Families(defaults(t)), func(of ledger.Family) bool { return of.Name == f.Of })
		if i < 0 {
			t.Errorf("%s: no family %s", f.Name, f.Of)
			continue
		}
		of := ledger.Families(defaults(t))[i]
		if of.Type != ledger.Counter || !of.Sourced {
			t.Errorf("%s: %s is not a counter with source labels", f.Name, f.Of)
		}
		for _, label := range f.Labels {
			if !slices.Contains(of.Labels, label.Of) {
				t.Errorf("%s: %s has no label %s", f.Name, f.Of, label.Of)
			}
		}
	}
	if got := prometheusName("claude_code.active_time.total", "s"); got != "claude_code_active_time_seconds_total" {
		t.Errorf("got %s", got)
	}
}

func TestOTelValues(t *testing.T) {
	for _, test := range []struct {
		translate func(string) string
		values    map[string]string
	}{
		{tokenType, map[string]string{
			"input": "input", "output": "output", "cache_read": "cacheRead", "cache_write_5m": "cacheCreation", "cache_write_1h": "cacheCreation",
		}},
		{querySource, map[string]string{
			"main": "main", "subagent": "subagent", "warmup": "auxiliary", "compact": "auxiliary", "prompt_suggestion": "auxiliary",
			"side_question": "auxiliary", "advisor": "auxiliary", "server_compaction": "auxiliary",
		}},
	} {
		for of, want := range test.values {
			if got := test.translate(of); got != want {
				t.Errorf("%s: got %s, want %s", of, got, want)
			}
		}
	}
}

func TestOTelNamesAreOffByDefault(t *testing.T) {
	l := newUsageLedger(t)
	l.message("", "claude-opus-4-6", "shop", 7, born)
	for name := range gather(t, gatherer(&Exposition{Provider: l, Registry: prometheus.NewRegistry()})) {
		if strings.HasPrefix(name, "claude_code_") {
			t.Errorf("got %s", name)
		}
	}
}

// New series begin at zero, also if a sum has other series already, and no sum falls.
func TestOTelZeroFirst(t *testing.T) {
	l := newUsageLedger(t)
	l.message("", "a", "shop", 100, born)
	l.Release(l.Pending())
	e := otelExposition(l)
	input := func(model string) (value float64) {
		value = -1
		for _, m := range gather(t, gatherer(e))["claude_code_token_usage_tokens_total"].GetMetric() {
			if labelsOf(m)["type"] == "input" && labelsOf(m)["model"] == model {
				value = m.GetCounter().GetValue()
			}
		}
		return value
	}
	expect := func(a, b float64) {
		t.Helper()
		if gotA, gotB := input("a"), input("b"); gotA != a || gotB != b {
			t.Errorf("got %v and %v, want %v and %v", gotA, gotB, a, b)
		}
	}
	expect(100, -1)
	l.message("", "a", "website", 10, born) // another series of the same sum
	l.message("", "b", "shop", 5, born)     // another sum
	expect(100, 0)
	l.message("", "a", "shop", 1, born)
	expect(101, 0)
	l.Release(l.Pending())
	expect(111, 5)
}

func labelsOf(m *dto.Metric) map[string]string {
	labels := make(map[string]string)
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return labels
}

// The created timestamp of a sum stays the same if an earlier event is counted later,
// and after a restart.
func TestOTelCreated(t *testing.T) {
	l := newUsageLedger(t)
	l.message("", "a", "shop", 100, born)
	e := otelExposition(l)
	created := func() map[string]int64 {
		all := make(map[string]int64)
		for name, f := range gather(t, gatherer(e)) {
			if strings.HasPrefix(name, "claude_code_") {
				for _, m := range f.GetMetric() {
					all[name+labelsOf(m)["type"]] = m.GetCounter().GetCreatedTimestamp().AsTime().UnixMilli()
				}
			}
		}
		return all
	}
	want := created()
	if want["claude_code_token_usage_tokens_totalinput"] != born || want["claude_code_cost_usage_USD_total"] > born {
		t.Fatalf("got %v, want %d", want, born)
	}
	l.message("", "a", "an-older-project", 100, born-1000)
	if got := created(); !maps.Equal(got, want) {
		t.Errorf("after an earlier event: got %v, want %v", got, want)
	}
	l.restart(t)
	e = otelExposition(l)
	if got := created(); !maps.Equal(got, want) {
		t.Errorf("after a restart: got %v, want %v", got, want)
	}
}

// Sums have the labels of their source, and are the same in every format.
func TestOTelFormats(t *testing.T) {
	l := newUsageLedger(t)
	s := newSite(func(o *HandlerOptions) { o.Exposition.Provider, o.Exposition.OTelNames = l, true })
	l.message("alice", "claude-opus-4-6", "shop", 1000, born)
	l.message("alice", "claude-opus-4-6", "website", 1000, born)
	l.message("bob", "claude-opus-4-6", "shop", 1, born)
	l.message("", "claude-opus-4-6", "shop", 5, born)
	l.Release(l.Pending())
	for accept, want := range map[string][]string{
		"": {
			"# TYPE claude_code_token_usage_tokens_total counter\n",
			`claude_code_token_usage_tokens_total{model="claude-opus-4-6",query_source="main",type="cacheCreation",user="alice"} 4000` + "\n",
			`claude_code_token_usage_tokens_total{model="claude-opus-4-6",query_source="main",type="output",user="bob"} 1` + "\n",
			`claude_code_token_usage_tokens_total{model="claude-opus-4-6",query_source="main",type="input",user=""} 5` + "\n",
			`claude_code_cost_usage_USD_total{model="claude-opus-4-6",query_source="main",user="bob"} `,
		},
		openMetrics: {
			"# TYPE claude_code_token_usage_tokens counter\n", "# TYPE claude_code_session_count counter\n",
			`claude_code_token_usage_tokens_total{model="claude-opus-4-6",query_source="main",type="cacheCreation",user="alice"} 4000.0` + "\n",
		},
		strings.Replace(protobuf, "delimited", "compact-text", 1): {
			`name:"claude_code_token_usage_tokens_total"`, `created_timestamp:{seconds:1767225600`,
		},
	} {
		r := s.request(http.MethodGet, "/metrics", "Accept", accept)
		got := strings.ReplaceAll(body(t, r), ":  ", ": ") // random spaces
		got = strings.ReplaceAll(got, ": ", ":")
		for _, line := range want {
			if !strings.Contains(got, strings.ReplaceAll(line, ": ", ":")) {
				t.Errorf("%s: no %q in\n%s", accept, line, got)
			}
		}
	}
}

// Without prices there is no cost.
func TestOTelCostWithoutPrices(t *testing.T) {
	l := newUsageLedger(t)
	l.message("", "claude-opus-4-6", "shop", 7, born)
	e := gatherer(otelExposition(l))
	for _, prices := range []*pricing.Table{pricing.Default(), nil, pricing.Default()} {
		l.options.Prices = prices
		l.Configure(l.options)
		all := gather(t, e)
		if shown := all["claude_code_cost_usage_USD_total"] != nil; shown != (prices != nil) || all["claude_code_token_usage_tokens_total"] == nil {
			t.Errorf("prices %v: cost exposed %v", prices != nil, shown)
		}
	}
}

// promtool accepts the names, although USD and tokens are no base units.
func TestOTelLint(t *testing.T) {
	l := newUsageLedger(t)
	l.message("alice", "claude-opus-4-6", "shop", 7, born)
	lint(t, gatherer(otelExposition(l)))
}

// Scrapes with the sums allocate almost no memory.
func TestOTelAllocations(t *testing.T) {
	l := newBusyLedger(t, 430)
	allocations := func(otelNames bool) float64 {
		e := &Exposition{Provider: l, Registry: prometheus.NewRegistry(), OTelNames: otelNames}
		return testing.AllocsPerRun(5, func() {
			_, done, err := e.Gather()
			defer done()
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if off, on := allocations(false), allocations(true); on > off+5 {
		t.Errorf("got %v allocations, and %v without the sums", on, off)
	}
}
