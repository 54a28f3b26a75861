package metrics

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A growingSource has counters, all at 7, and histograms with an observation; more
// and more of them. The first ones are old.
type growingSource struct{ old, series int }

func (g *growingSource) Fill(to *ledger.Snapshot) bool {
	counter := ledger.FamilySamples{Family: &ledger.Family{Name: "a_total", Labels: []string{"n"}}}
	histogram := ledger.FamilySamples{Family: &ledger.Family{Name: "h", Type: ledger.Histogram, Labels: []string{"n"}, Buckets: []float64{1}}}
	for i := range g.series {
		labels := []string{string(rune('a' + i))}
		fresh := i >= g.old
		counter.Samples = append(counter.Samples, ledger.Sample{Labels: labels, Value: 7, Created: 1, New: fresh})
		histogram.Samples = append(histogram.Samples, ledger.Sample{Labels: labels, Value: 1, Sum: 5, Counts: []uint64{0, 1}, Created: 1, New: fresh})
	}
	to.Families = []ledger.FamilySamples{counter, histogram}
	return true
}

// Each viewer sees every series begin that comes while it looks, and nobody sees
// one begin twice.
func TestViewersSeeSeriesBegin(t *testing.T) {
	source := &growingSource{old: 1}
	e := &Exposition{Source: source, Registry: prometheus.NewRegistry()}
	for i, scrape := range []struct {
		viewer string
		series int
		want   string // the values of the series
	}{
		{"a", 1, "7"}, // was there before
		{"a", 2, "70"},
		{"a", 2, "77"},
		{"b", 2, "70"}, // may have been there before the start, when there was one
		{"b", 2, "77"},
		{"b", 4, "7700"},
		{"a", 4, "7700"},
		{"a", 5, "77770"},
		{"b", 5, "77770"},
		{"b", 5, "77777"},
		{"c", 5, "70000"},
		{"a", 5, "77777"},
		{"c", 5, "77777"},
	} {
		source.series = scrape.series
		for _, kind := range []expfmt.FormatType{expfmt.TypeTextPlain, expfmt.TypeOpenMetrics, expfmt.TypeProtoDelim} {
			viewer := fmt.Sprint(scrape.viewer, kind) // one that always has the same format
			if got := valuesFor(t, e, kind, viewer); got != scrape.want {
				t.Errorf("scrape %d, by %s of %d, in %v: got %s, want %s", i, scrape.viewer, scrape.series, kind, got, scrape.want)
			}
		}
	}
}

// valuesFor returns the values of the counters as a viewer is shown them, which
// the histograms must fit to.
func valuesFor(t *testing.T, e *Exposition, kind expfmt.FormatType, viewer string) string {
	t.Helper()
	format := expfmt.NewFormat(kind)
	page, err := e.Append(nil, format, viewer)
	if err != nil {
		t.Fatal(err)
	}
	var counters, counts, sums strings.Builder
	if kind != expfmt.TypeProtoDelim {
		for line := range strings.Lines(string(page)) {
			series, value, _ := strings.Cut(line, "} ")
			switch name, _, _ := strings.Cut(series, "{"); name {
			case "a_total":
				counters.WriteByte(value[0])
			case "h_count":
				counts.WriteByte(value[0])
			case "h_sum":
				sums.WriteByte(value[0])
			}
		}
	}
	for decoder := expfmt.NewDecoder(bytes.NewReader(page), format); kind == expfmt.TypeProtoDelim; {
		f := new(dto.MetricFamily)
		if err := decoder.Decode(f); err != nil {
			break
		}
		if f.GetName() != "a_total" && f.GetName() != "h" {
			continue
		}
		for _, m := range f.GetMetric() {
			if c := m.GetCounter(); c != nil {
				counters.WriteString(strconv.Itoa(int(c.GetValue())))
			} else {
				counts.WriteString(strconv.Itoa(int(m.GetHistogram().GetSampleCount())))
				sums.WriteString(strconv.Itoa(int(m.GetHistogram().GetSampleSum())))
			}
		}
	}
	as := strings.NewReplacer("7", "1").Replace(counters.String())
	if counts.String() != as || strings.ReplaceAll(sums.String(), "5", "1") != as {
		t.Errorf("counters are %s, the counts of histograms %s, their sums %s", &counters, &counts, &sums)
	}
	return counters.String()
}

// Who was not here for long is somebody new, and there are only so many.
func TestViewersAreForgotten(t *testing.T) {
	var all viewers
	at := time.Unix(0, 0)
	seen := func(name string, after time.Duration) uint64 {
		at = at.Add(after)
		_, seen := all.next(name, at)
		return seen
	}
	got := []uint64{
		seen("a", 0),               // scrape 1
		seen("b", viewerReturns-1), // 2, soon after the start
		seen("c", 1),               // 3, not so soon
		seen("c", viewerStays-1),   // 4
		seen("c", viewerStays),     // 5, long after its last one
		seen("a", 0),               // 6
	}
	for i := range maxViewers - 1 {
		seen(strconv.Itoa(i), 0)
	}
	got = append(got, seen("a", 0)) // 7 + 63
	for i := range maxViewers {
		seen(strconv.Itoa(i), 0)
	}
	got = append(got, seen("a", 0), uint64(len(all.latest)))
	if want := []uint64{0, 0, 2, 3, 4, 5, 6, 134, maxViewers}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestViewerOf(t *testing.T) {
	seen := make(map[string]string)
	for _, v := range []struct{ name, address, agent, url string }{
		{"one", "192.0.2.1:1000", "Prometheus/3.15.0", "/metrics"},
		{"another machine", "192.0.2.2:1000", "Prometheus/3.15.0", "/metrics"},
		{"another program", "192.0.2.1:1000", "curl/8", "/metrics"},
		{"a parameter", "192.0.2.1:1000", "Prometheus/3.15.0", "/metrics?server=b"},
		{"a socket", "@", "", "/metrics"},
	} {
		r := httptest.NewRequest("GET", v.url, http.NoBody)
		r.RemoteAddr = v.address
		r.Header.Set("User-Agent", v.agent)
		name := viewerOf(r)
		if other, taken := seen[name]; taken {
			t.Errorf("%s is taken for %s", v.name, other)
		}
		seen[name] = v.name
		if r.RemoteAddr = strings.Replace(v.address, "1000", "2000", 1); viewerOf(r) != name {
			t.Errorf("%s has another name on another connection", v.name)
		}
		if r.Header.Set("User-Agent", strings.Repeat("x", 1<<16)); len(viewerOf(r)) > 256 {
			t.Errorf("%s has a name of %d bytes", v.name, len(viewerOf(r)))
		}
	}
}
