package push

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

var protocols = []remote.WriteMessageType{remote.WriteV1MessageType, remote.WriteV2MessageType}

// forProtocols runs a test with an endpoint of each protocol.
func forProtocols(t *testing.T, test func(*testing.T, *receiver, *pushTest, Endpoint)) {
	for _, p := range protocols {
		t.Run(string(p), func(t *testing.T) {
			r := newReceiver(t)
			e := testEndpoint(r.URL)
			e.Protocol = p
			test(t, r, newPushTest(t), e)
		})
	}
}

func TestInitialZero(t *testing.T) {
	forProtocols(t, func(t *testing.T, r *receiver, l *pushTest, e Endpoint) {
		counter(l.source, "old_total", 5)
		still := counter(l.source, "still_total", 0)
		l.start(e)
		r.nextPush()
		counter(l.source, "new_total", 7)
		still.Add(3)
		polltest.Eventually(t, "the new counter has its value", func() bool { return r.last("new_total") == 7 })
		l.stop()
		for key, want := range map[string][]float64{"old_total": {5, -1}, "new_total": {0, 7, -1}, "still_total": {0, 3, -1}} {
			if got := slices.Compact(r.values(key)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", key, got, want)
			}
		}
		if n := len(r.values("new_total")); slices.Index(r.values("new_total"), 7) != 1 {
			t.Errorf("new counter: got more than one zero in %d values", n)
		}
	})
}

// A series that appears while the server is unavailable starts at zero, and changes
// after the last push are sent at shutdown.
func TestServerIsAway(t *testing.T) {
	r, l := newReceiver(t), newPushTest(t)
	old := counter(l.source, "old_total", 5)
	l.start(testEndpoint(r.URL))
	r.nextPush()
	r.respondStatus(http.StatusBadGateway)
	counter(l.source, "new_total", 7)
	old.Add(10)
	polltest.Eventually(t, "some requests fail", func() bool { return l.sample("failures_total", "server_error") > 3 })
	r.setRespond(nil)
	polltest.Eventually(t, "all values are received", func() bool { return r.last("new_total") == 7 && r.last("old_total") == 15 })
	l.source.mu.Lock() // so that only the last push has the last values
	r.respondStatus(http.StatusBadGateway)
	l.source.mu.Unlock()
	old.Add(1)
	r.setRespond(nil)
	counter(l.source, "late_total", 2)
	l.stop()
	for key, want := range map[string]float64{"old_total": 16, "late_total": 2, "new_total": 7} {
		v := r.values(key)
		if r.last(key) != want || !rises(v) || v[len(v)-1] != -1 {
			t.Errorf("%s: got %v, want it to rise to %v and end", key, v, want)
		}
	}
	if v := r.values("late_total"); v[0] != 0 {
		t.Errorf("late counter: got initial value %v, want 0", v[0])
	}
	if n := strings.Count(l.log.String(), "Failed to send"); n < 1 || n > 2 {
		t.Errorf("got %d failures logged, want 1 or 2:\n%s", n, l.log.String())
	}
	if !strings.Contains(l.log.String(), "accepts requests again") {
		t.Errorf("recovery not logged:\n%s", l.log.String())
	}
}

// If some requests of a push fail, their series start at zero in a later push.
func TestInitialZeroInSeveralRequests(t *testing.T) {
	r, l := newReceiver(t), newPushTest(t)
	counter(l.source, "old_total", 5)
	l.start(testEndpoint(r.URL))
	r.nextPush()
	first := len(r.requests())
	r.setRespond(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n%2 == 0 && n < first+10 {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		return false
	})
	many := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "many_total"}, []string{"n"})
	for i := range 2 * maxSamples {
		many.WithLabelValues(strconv.Itoa(i)).Inc()
	}
	l.source.MustRegister(many)
	key := func(i int) string { return "many_total,n=" + strconv.Itoa(i) }
	polltest.Eventually(t, "all values are received", func() bool { return r.last(key(0)) == 1 && r.last(key(2*maxSamples-1)) == 1 })
	for i := range 2 * maxSamples {
		if got := slices.Compact(r.values(key(i))); !reflect.DeepEqual(got, []float64{0, 1}) {
			t.Fatalf("%s: got %v, want 0 and 1", key(i), got)
		}
	}
}

func TestStalenessMarker(t *testing.T) {
	forProtocols(t, func(t *testing.T, r *receiver, l *pushTest, e Endpoint) {
		counter(l.source, "stays_total", 1)
		live := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "live"}, []string{"session"})
		l.source.MustRegister(live)
		live.WithLabelValues("a").Set(3)
		l.start(e)
		r.nextPush()
		live.Reset()
		r.nextPush()
		r.nextPush()
		if got := slices.Compact(r.values("live,session=a")); !reflect.DeepEqual(got, []float64{3, -1}) {
			t.Errorf("got %v, want one marker after the last value", r.values("live,session=a"))
		}
		before := len(r.values("live,session=a"))
		live.WithLabelValues("a").Set(4)
		r.nextPush()
		l.stop()
		if got := slices.Compact(r.values("live,session=a")[before:]); !reflect.DeepEqual(got, []float64{4, -1}) {
			t.Errorf("after it reappeared: got %v, want 4 and a marker", got)
		}
	})
}

// A counter that returns after its staleness marker continues at its value.
func TestCounterReturns(t *testing.T) {
	forProtocols(t, func(t *testing.T, r *receiver, l *pushTest, e Endpoint) {
		counter(l.source, "stays_total", 1)
		old := counter(l.source, "old_total", 5)
		l.start(e)
		r.nextPush()
		late := counter(l.source, "late_total", 7)
		polltest.Eventually(t, "the late counter has its value", func() bool { return r.last("late_total") == 7 })
		for range 2 {
			l.source.Unregister(old)
			l.source.Unregister(late)
			r.nextPush()
			r.nextPush()
			l.source.MustRegister(old, late)
			r.nextPush()
		}
		l.stop()
		for key, want := range map[string][]float64{"old_total": {5, -1, 5, -1, 5, -1}, "late_total": {0, 7, -1, 7, -1, 7, -1}} {
			if got := slices.Compact(r.values(key)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", key, got, want)
			}
			if n := len(slices.DeleteFunc(r.values(key), func(v float64) bool { return v != -1 })); n != 3 {
				t.Errorf("%s: got %d staleness markers, want 3", key, n)
			}
		}
	})
}

// A source without any metrics ends no series.
func TestNoMetrics(t *testing.T) {
	r, l := newReceiver(t), newPushTest(t)
	l.source.hide(true)
	counter(l.source, "old_total", 5)
	gathered := make(chan struct{}, 1000)
	l.source.onGather = func() { gathered <- struct{}{} }
	l.start(testEndpoint(r.URL))
	for range 3 {
		<-gathered
	}
	if n := len(r.requests()); n > 0 {
		t.Errorf("got %d requests, want 0", n)
	}
	l.source.hide(false)
	r.nextPush()
	l.source.hide(true)
	for range 3 {
		<-gathered
	}
	l.source.hide(false)
	r.nextPush()
	if got := slices.Compact(r.values("old_total")); !reflect.DeepEqual(got, []float64{5}) {
		t.Errorf("got %v, want only 5", got)
	}
}

// An incomplete gather ends no series.
func TestIncompleteGather(t *testing.T) {
	a := family(t, `name: "a_total" type: COUNTER metric { counter { value: 1 } }`)
	b := family(t, `name: "b_total" type: COUNTER metric { counter { value: 1 } }`)
	cache := newSeriesCache(nil)
	for i, test := range []struct {
		families []*dto.MetricFamily
		complete bool
		pending  int
	}{
		{[]*dto.MetricFamily{a, b}, true, 2}, {[]*dto.MetricFamily{a}, false, 1}, {[]*dto.MetricFamily{a, b}, true, 2},
		{[]*dto.MetricFamily{a}, true, 2}, {[]*dto.MetricFamily{a}, true, 1}, {[]*dto.MetricFamily{a, a}, true, 1},
	} {
		cache.update(test.families, test.complete)
		if len(cache.pending) != test.pending || cache.zeros > 0 {
			t.Errorf("cycle %d: got %d series, %d zeros, want %d and 0", i, len(cache.pending), cache.zeros, test.pending)
		}
		cache.acknowledge(cache.pending)
	}
}

func TestReconfigure(t *testing.T) {
	r, s := newReceiver(t), newReceiver(t)
	l := newPushTest(t)
	counter(l.source, "a_total", 1)
	first, second := testEndpoint(r.URL), testEndpoint(s.URL)
	second.Name = "two"
	l.start(first)
	r.nextPush()
	l.configure(first, second) // does not interrupt the first
	s.nextPush()
	r.nextPush()
	if got := slices.Compact(r.values("a_total")); !reflect.DeepEqual(got, []float64{1}) {
		t.Errorf("unchanged endpoint: got %v, want only 1", got)
	}
	first.Labels = map[string]string{"job": "j"}
	l.configure(first) // changes the series, and removes the second endpoint
	polltest.Eventually(t, "the changed series are received", func() bool { return len(r.values("a_total,job=j")) > 1 })
	for _, receiver := range []*receiver{r, s} {
		if v := receiver.values("a_total"); v[len(v)-1] != -1 {
			t.Errorf("got %v, want a staleness marker at the end", v)
		}
	}
	if v := slices.Compact(r.values("a_total,job=j")); v[0] != 1 {
		t.Errorf("changed series: got %v, want 1 first", v)
	}
	if got := l.sample("samples_total", "two"); got != -1 {
		t.Errorf("removed endpoint: got %v samples, want none", got)
	}
	bad := first
	bad.HTTP.TLSConfig.CAFile = "/nowhere.pem"
	if err := l.pusher.Configure([]Endpoint{bad}); err == nil {
		t.Error("Configure: got no error for a missing certificate")
	}
	if err := Check([]Endpoint{bad}); err == nil {
		t.Error("Check: got no error for a missing certificate")
	}
	r.nextPush() // the previous configuration stays in use
}
