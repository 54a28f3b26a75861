package push

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/config"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A fakeSource is a registry whose metrics can be hidden.
type fakeSource struct {
	*prometheus.Registry
	mu       sync.Mutex
	hidden   bool
	onGather func()
}

func newFakeSource() *fakeSource { return &fakeSource{Registry: prometheus.NewRegistry()} }

func (s *fakeSource) Gather() ([]*dto.MetricFamily, func(), error) {
	s.mu.Lock()
	if s.onGather != nil {
		s.onGather()
	}
	if s.hidden {
		return nil, s.mu.Unlock, nil
	}
	families, err := s.Registry.Gather()
	return families, s.mu.Unlock, err
}

func (s *fakeSource) hide(hidden bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = hidden
}

// counter registers a counter with a value.
func counter(reg prometheus.Registerer, name string, v float64) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: "Help of " + name + "."})
	reg.MustRegister(c)
	c.Add(v)
	return c
}

func newMetrics(reg prometheus.Registerer) Metrics {
	m := Metrics{
		Samples:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "samples_total"}, []string{"remote_name"}),
		Failures:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "failures_total"}, []string{"remote_name", "reason"}),
		LastSuccess: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "last_success"}, []string{"remote_name"}),
		History:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "history_samples_total"}, []string{"remote_name", "result"}),
	}
	reg.MustRegister(m.Samples, m.Failures, m.LastSuccess, m.History)
	return m
}

// writeFile writes a file into a temporary directory and returns its path.
func writeFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	filetest.Write(t, path, text)
	return path
}

// A pushTest has a pusher of the metrics of a source.
type pushTest struct {
	testing.TB
	source *fakeSource
	health *prometheus.Registry
	log    *polltest.Buffer
	pusher *Pusher
	cancel context.CancelFunc
	done   chan struct{}
}

func newPushTest(t testing.TB) *pushTest {
	l := &pushTest{TB: t, source: newFakeSource(), health: prometheus.NewRegistry(), log: new(polltest.Buffer)}
	l.pusher = New(Options{
		Source: l.source, Metrics: newMetrics(l.health),
		Logger: slog.New(slog.NewTextHandler(l.log, nil)), Now: time.Now,
	})
	return l
}

// testEndpoint returns an endpoint with a short interval.
func testEndpoint(url string) Endpoint {
	return Endpoint{
		Name: "one", URL: url, Protocol: remote.WriteV1MessageType, Interval: 10 * time.Millisecond, Timeout: polltest.Timeout,
		HTTP: config.HTTPClientConfig{FollowRedirects: true}, UserAgent: "ccwatchd/test",
	}
}

// writeWithTimeout writes to a server that does not respond, until the timeout. A busy
// machine may not connect in time, so the timeout is doubled until the server has
// received a request.
func writeWithTimeout(received func() bool) func(t *testing.T, e Endpoint) error {
	return func(t *testing.T, e Endpoint) (err error) {
		t.Helper()
		for e.Timeout = 50 * time.Millisecond; !received(); e.Timeout *= 2 {
			err = write(t, e)
		}
		return err
	}
}

// start sends to endpoints until stop or the end of the test.
func (l *pushTest) start(all ...Endpoint) {
	l.Helper()
	l.configure(all...)
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel, l.done = cancel, make(chan struct{})
	go func() {
		defer close(l.done)
		l.pusher.Run(ctx)
	}()
	l.Cleanup(l.stop)
}

func (l *pushTest) configure(all ...Endpoint) {
	l.Helper()
	if err := l.pusher.Configure(all); err != nil {
		l.Fatal(err)
	}
}

func (l *pushTest) stop() {
	l.cancel()
	<-l.done
}

// sample returns the value of a metric of the pusher with a label value; -1 if there is
// no such metric.
func (l *pushTest) sample(name, label string) float64 {
	l.Helper()
	families, err := l.health.Gather()
	if err != nil {
		l.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, p := range m.GetLabel() {
				if f.GetName() == name && p.GetValue() == label {
					return m.GetCounter().GetValue() + m.GetGauge().GetValue()
				}
			}
		}
	}
	return -1
}
