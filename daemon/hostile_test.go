package daemon

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/tailer"
)

// The tests in the files hostile_*_test.go are of what another user's directory may
// hold. Each has a harmless session beside it, which is counted exactly.

// newHostileWorld makes a world in which labels are made as they are for users, and
// lines may be as long as they may for them.
func newHostileWorld(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.settings.MaxLine = tailer.DefaultMaxLine
	w.settings.Labeller = &config.Labels{Projects: config.Projects{Naming: config.ByName}}
	return w
}

// harmless writes a session of two replies to p/harmless.jsonl, and returns what is
// counted of it.
func (w *world) harmless() totals {
	w.Helper()
	w.write("p/harmless.jsonl", said("harmless", 2))
	return totals{
		`claude_tokens_total{type="input",model="opus",project="harmless",agent="main"}`:              2,
		`claude_tokens_total{type="output",model="opus",project="harmless",agent="main"}`:             20,
		`claude_requests_total{model="opus",project="harmless",agent="main",stop_reason="end_turn"}`:  2,
		`claude_cache_requests_total{result="uncached",model="opus",project="harmless",agent="main"}`: 2,
		`claude_prompts_total{kind="text",project="harmless"}`:                                        2,
		`claude_sessions_total{project="harmless"}`:                                                   1,
	}
}

// exactly waits until the series that want names have its values, with all their
// labels, and returns what else there is.
func (w *world) exactly(want totals) totals {
	w.Helper()
	w.eventually("catching up", w.d.Ready)
	var got totals
	var d string
	if !until(func() bool {
		got = w.totals()
		some := make(totals, len(want))
		for series := range want {
			some[series] = got[series]
		}
		d = some.diff(want)
		return d == ""
	}) {
		w.Fatalf("the totals do not come to what they should be:\n%s", d)
	}
	return got
}

// exposed is what a server reads of a scrape, which is well-formed: every label
// is short, and is text without control characters.
func (w *world) exposed() map[string]*dto.MetricFamily {
	w.Helper()
	w.totals() // so that nothing is seen here first
	shown := metrics.Exposition{Provider: w.d, Registry: w.registry, MaxSessions: w.d.MaxSessions}
	var text bytes.Buffer
	if err := shown.WriteText(&text); err != nil {
		w.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		w.Fatal(err)
	}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if v := l.GetValue(); len(v) > 128 || !utf8.ValidString(v) || strings.ContainsFunc(v, isControl) {
					w.Errorf("%s has the label %s=%q", name, l.GetName(), v)
				}
			}
		}
	}
	return families
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// sum adds up the values of a counter or a gauge whose labels are the given ones
// and any others.
func sum(f *dto.MetricFamily, labels ...string) (sum float64) {
	for _, m := range f.GetMetric() {
		has := make(map[string]string)
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		matches := true
		for i := 0; i < len(labels); i += 2 {
			matches = matches && has[labels[i]] == labels[i+1]
		}
		if matches {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

// keeps does something, and fails where that has left more than so many bytes in
// memory.
func (w *world) keeps(atMost int, do func()) {
	w.Helper()
	before := heap()
	do()
	if kept := heap() - before; kept > int64(atMost) {
		w.Errorf("%d bytes are kept, want %d at most", kept, atMost)
	}
}

// rescanned waits until the tree has been walked so many times more.
func (w *world) rescanned(times float64) {
	w.Helper()
	const scans = "ccwatchd_scans_total"
	from := w.metric(scans)
	w.eventually("more walks", func() bool { return w.metric(scans) >= from+times })
}

// session is a transcript of so many lines, each of which is made by its number.
func session(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}
