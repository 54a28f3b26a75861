package metrics

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A busyLedger has many series, a tenth of them histograms. Its exposition has about 25
// lines per unit of size.
type busyLedger struct {
	*ledger.Ledger
	keys int
}

func newBusyLedger(t testing.TB, size int) *busyLedger {
	o := defaults(t)
	o.Limits = map[string]int{"model": 1e6, "project": 1e6, "tool": 1e6}
	o.ActiveFor = 1e12
	l := &busyLedger{Ledger: ledger.New(o, born)}
	l.Open(ledger.File{ID: 1, Kind: transcript.Main})
	for i := range size {
		l.message(i)
	}
	for i := range size * 3 / 4 {
		l.tool(i)
	}
	l.Counters().Release(l.Counters().Pending())
	return l
}

func (l *busyLedger) SnapshotInto(s *ledger.Snapshot) bool {
	l.Ledger.SnapshotInto(s, born)
	return true
}

func (l *busyLedger) key() transcript.Key {
	l.keys++
	return transcript.KeyOf("key", fmt.Sprint(l.keys))
}

func (l *busyLedger) add(e transcript.Entry) {
	l.AddBatch(&ledger.Batch{File: 1, Now: born, Bytes: 1000, Entries: []transcript.Entry{e}})
	l.Settle()
}

// message counts a message with one of many combinations of labels.
func (l *busyLedger) message(i int) {
	l.add(transcript.Entry{
		Type: "assistant", HasProject: true, Project: fmt.Sprintf("some-project-%d", i/10), Sidechain: i%2 == 1,
		Message: &transcript.Message{
			Key: l.key(), Model: fmt.Sprintf("claude-opus-4-%d", i/2%5), StopReason: "end_turn",
			Usage: transcript.Usage{Input: uint64(3*i + 1), Output: 1234, CacheRead: 56789, CacheWrite5m: 1011, Thinking: 12},
		},
	})
}

// tool counts a call of one of many tools.
func (l *busyLedger) tool(i int) {
	key := l.key()
	use := transcript.ToolUse{Key: key, Name: fmt.Sprintf("mcp__server%d__tool_%d", i%10, i), MCPServer: fmt.Sprintf("server%d", i%10)}
	project := fmt.Sprintf("some-project-%d", i%45)
	l.add(transcript.Entry{Type: "assistant", Time: born - 4321, HasProject: true, Project: project, Uses: []transcript.ToolUse{use}})
	l.add(transcript.Entry{Type: "user", Time: born, HasProject: true, Project: project, Results: []transcript.ToolResult{{Key: key, Bytes: 4567}}})
}

// prompt counts a prompt of a new project.
func (l *busyLedger) prompt() {
	l.add(transcript.Entry{Type: "user", UUID: l.key(), HasProject: true, Project: fmt.Sprint("new-", l.keys), Prompt: &transcript.Prompt{Kind: "text", TextKey: l.key()}})
}

func (l *busyLedger) sessions(n int) {
	for i := range n {
		id := fmt.Sprint("5d4e8c1e-0000-4000-8000-", i)
		l.add(transcript.Entry{
			Type: "assistant", Time: born, HasProject: true, Project: "some-project-1", Session: transcript.KeyOf("session", id), SessionID: id,
			Message: &transcript.Message{Key: l.key(), Model: "claude-opus-4-1", Usage: transcript.Usage{Input: 1000}},
		})
	}
}

// BenchmarkScrape measures scrapes through the handler, including the daemon's own
// families, without a network.
func BenchmarkScrape(b *testing.B) {
	for name, size := range map[string]int{"1500": 60, "10000": 430} {
		for _, bench := range []struct {
			name, accept, encoding string
			before                 func(*busyLedger)
		}{
			{name: "text"},
			{name: "text/gzip", encoding: "gzip"},
			{name: "openmetrics/gzip", accept: openMetrics, encoding: "gzip"},
			{name: "openmetrics/gzip/10-new", accept: openMetrics, encoding: "gzip", before: func(l *busyLedger) {
				for range 10 {
					l.prompt()
				}
			}},
			{name: "protobuf/gzip", accept: protobuf, encoding: "gzip"},
		} {
			b.Run(name+"/"+bench.name, func(b *testing.B) {
				r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
				r.Header.Set("Accept", bench.accept)
				r.Header.Set("Accept-Encoding", bench.encoding)
				var h http.Handler
				var l *busyLedger
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if i%100 == 0 || bench.before != nil {
						b.StopTimer()
						if i%100 == 0 && (i == 0 || bench.before != nil) { // new series must not accumulate
							l, h = newBusyHandler(b, size)
							h.ServeHTTP(discard{make(http.Header)}, r)
						}
						if bench.before != nil {
							bench.before(l)
						}
						b.StartTimer()
					}
					h.ServeHTTP(discard{make(http.Header)}, r)
				}
			})
		}
	}
}

const (
	openMetrics = "application/openmetrics-text;version=1.0.0"
	protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

func newBusyHandler(b testing.TB, size int) (*busyLedger, http.Handler) {
	l := newBusyLedger(b, size)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	NewDaemon(registry)
	return l, (&Exposition{Provider: l, Registry: registry}).Handler(slog.New(slog.DiscardHandler))
}

// A discard discards the response.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// Repeated gathering allocates almost no memory, for any number of series.
func TestGatherAllocations(t *testing.T) {
	l := newBusyLedger(t, 430)
	e := &Exposition{Provider: l, Registry: prometheus.NewRegistry()}
	lines := 0
	gather := func() {
		families, done, err := e.Gather()
		defer done()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			lines += len(f.GetMetric())
		}
	}
	if gather(); lines < 4000 {
		t.Fatalf("got only %d metrics", lines)
	}
	if n := testing.AllocsPerRun(5, gather); n > 1000 {
		t.Errorf("got %v allocations, want no more than the live gauges need", n)
	}
}
