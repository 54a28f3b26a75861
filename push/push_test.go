package push

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

var protocols = []remote.WriteMessageType{remote.WriteV1MessageType, remote.WriteV2MessageType}

// turn waits for a request that begins after now to be stored.
func (r *receiver) turn() {
	r.Helper()
	for len(r.turns) > 0 {
		<-r.turns
	}
	for range 2 { // the first may be under way
		select {
		case <-r.turns:
		case <-time.After(20 * time.Second):
			r.Fatal("nothing arrives any more")
		}
	}
}

// last returns the value that arrived last; at the end, before the marker.
func (r *receiver) last(key string) float64 {
	v := slices.DeleteFunc(r.values(key), func(v float64) bool { return v == -1 })
	if len(v) == 0 {
		return -1
	}
	return v[len(v)-1]
}

// rises reports whether the values of a series are zeros, other values that never
// fall, and a marker at most at the end.
func rises(values []float64) bool {
	if n := len(values); n > 0 && values[n-1] == -1 {
		values = values[:n-1]
	}
	return slices.IsSorted(values) && !slices.Contains(values, -1)
}

func TestSeriesBeginAtZero(t *testing.T) {
	for _, p := range protocols {
		t.Run(string(p), func(t *testing.T) {
			r := newReceiver(t)
			r.Start()
			l := newLab(t)
			counter(l.source, "old_total", 5)
			still := counter(l.source, "still_total", 0)
			e := endpoint(r.URL)
			e.Protocol = p
			l.start(e)
			r.turn()
			counter(l.source, "new_total", 7)
			still.Add(3)
			eventually(t, "the new counter has its value", func() bool { return r.last("new_total") == 7 })
			l.stop()
			for key, want := range map[string][]float64{"old_total": {5, -1}, "new_total": {0, 7, -1}, "still_total": {0, 3, -1}} {
				if got := slices.Compact(r.values(key)); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %v, want %v", key, got, want)
				}
			}
			if n := len(r.values("new_total")); slices.Index(r.values("new_total"), 7) != 1 {
				t.Errorf("the new counter is zero more than once in %d", n)
			}
		})
	}
}

// What was new while nothing arrived begins at zero too, and what comes between
// the last push and the end is in the last one.
func TestServerIsAway(t *testing.T) {
	r := newReceiver(t)
	r.Start()
	l := newLab(t)
	old := counter(l.source, "old_total", 5)
	away := func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	l.start(endpoint(r.URL))
	r.turn()
	r.answers(away)
	counter(l.source, "new_total", 7)
	old.Add(10)
	eventually(t, "some requests fail", func() bool { return l.sample("failures_total", "server_error") > 3 })
	r.answers(nil)
	eventually(t, "all has arrived", func() bool { return r.last("new_total") == 7 && r.last("old_total") == 15 })
	l.source.mu.Lock() // so that the last values are only in what is sent at the end
	r.answers(away)
	l.source.mu.Unlock()
	old.Add(1)
	r.answers(nil)
	counter(l.source, "late_total", 2)
	l.stop()
	for key, want := range map[string]float64{"old_total": 16, "late_total": 2, "new_total": 7} {
		v := r.values(key)
		if r.last(key) != want || !rises(v) || v[len(v)-1] != -1 {
			t.Errorf("%s: got %v, want it to rise to %v and end", key, v, want)
		}
	}
	if v := r.values("late_total"); v[0] != 0 {
		t.Errorf("the last one begins at %v", v[0])
	}
	if n := strings.Count(l.log.text(), "Failed to send"); n < 1 || n > 2 {
		t.Errorf("it was told %d times:\n%s", n, l.log.text())
	}
	if !strings.Contains(l.log.text(), "works again") {
		t.Errorf("it was not told that it works again:\n%s", l.log.text())
	}
}

// Of a push that takes several requests, what has not arrived begins at zero in a
// later one.
func TestBeginsInSeveralRequests(t *testing.T) {
	r := newReceiver(t)
	r.Start()
	l := newLab(t)
	counter(l.source, "old_total", 5)
	l.start(endpoint(r.URL))
	r.turn()
	first := len(r.requests())
	r.answers(func(n int, w http.ResponseWriter, _ *http.Request) bool {
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
	eventually(t, "all of it has arrived", func() bool { return r.last(key(0)) == 1 && r.last(key(2*maxSamples-1)) == 1 })
	for i := range 2 * maxSamples {
		if got := slices.Compact(r.values(key(i))); !reflect.DeepEqual(got, []float64{0, 1}) {
			t.Fatalf("%s: got %v, want 0 and 1", key(i), got)
		}
	}
}

func TestVanished(t *testing.T) {
	for _, p := range protocols {
		t.Run(string(p), func(t *testing.T) {
			r := newReceiver(t)
			r.Start()
			l := newLab(t)
			counter(l.source, "stays_total", 1)
			live := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "live"}, []string{"session"})
			l.source.MustRegister(live)
			live.WithLabelValues("a").Set(3)
			e := endpoint(r.URL)
			e.Protocol = p
			l.start(e)
			r.turn()
			live.Reset()
			r.turn()
			r.turn()
			if got := slices.Compact(r.values("live,session=a")); !reflect.DeepEqual(got, []float64{3, -1}) {
				t.Errorf("got %v, want one marker after the last value", r.values("live,session=a"))
			}
			before := len(r.values("live,session=a"))
			live.WithLabelValues("a").Set(4)
			r.turn()
			l.stop()
			if got := slices.Compact(r.values("live,session=a")[before:]); !reflect.DeepEqual(got, []float64{4, -1}) {
				t.Errorf("after it has come back: got %v", got)
			}
		})
	}
}

// A source that shows nothing is not one whose series have gone.
func TestNothingToShow(t *testing.T) {
	r := newReceiver(t)
	r.Start()
	l := newLab(t)
	l.source.hide(true)
	counter(l.source, "old_total", 5)
	asked := make(chan struct{}, 1000)
	l.source.before = func() { asked <- struct{}{} }
	l.start(endpoint(r.URL))
	for range 3 {
		<-asked
	}
	if n := len(r.requests()); n > 0 {
		t.Errorf("%d requests of nothing", n)
	}
	l.source.hide(false)
	r.turn()
	l.source.hide(true)
	for range 3 {
		<-asked
	}
	l.source.hide(false)
	r.turn()
	if got := slices.Compact(r.values("old_total")); !reflect.DeepEqual(got, []float64{5}) {
		t.Errorf("got %v, want 5 from the first to the last", got)
	}
}

// What is missing while not everything could be gathered has not gone.
func TestIncomplete(t *testing.T) {
	a := family(t, `name: "a_total" type: COUNTER metric { counter { value: 1 } }`)
	b := family(t, `name: "b_total" type: COUNTER metric { counter { value: 1 } }`)
	book := newBook(nil)
	for _, turn := range []struct {
		families []*dto.MetricFamily
		complete bool
		want     int // series that are due
	}{
		{[]*dto.MetricFamily{a, b}, true, 2}, {[]*dto.MetricFamily{a}, false, 1}, {[]*dto.MetricFamily{a, b}, true, 2},
		{[]*dto.MetricFamily{a}, true, 2}, {[]*dto.MetricFamily{a}, true, 1}, {[]*dto.MetricFamily{a, a}, true, 1},
	} {
		book.turn(turn.families, turn.complete)
		if len(book.due) != turn.want || book.begins > 0 {
			t.Errorf("%v: %d are due, %d begin", turn, len(book.due), book.begins)
		}
		book.arrived(book.due)
	}
}

func TestReconfigure(t *testing.T) {
	r, s := newReceiver(t), newReceiver(t)
	r.Start()
	s.Start()
	l := newLab(t)
	counter(l.source, "a_total", 1)
	one, two := endpoint(r.URL), endpoint(s.URL)
	two.Name = "two"
	l.start(one)
	r.turn()
	configure := func(all ...Endpoint) {
		t.Helper()
		if err := l.pusher.Configure(all); err != nil {
			t.Fatal(err)
		}
	}
	configure(one, two) // the first is not touched
	s.turn()
	r.turn()
	if got := slices.Compact(r.values("a_total")); !reflect.DeepEqual(got, []float64{1}) {
		t.Errorf("what did not change: got %v", got)
	}
	one.Labels = map[string]string{"job": "j"}
	configure(one) // now its series are others, and the second is gone
	eventually(t, "the others arrive", func() bool { return len(r.values("a_total,job=j")) > 1 })
	for _, of := range []*receiver{r, s} {
		if v := of.values("a_total"); v[len(v)-1] != -1 {
			t.Errorf("there is no end of what was: %v", v)
		}
	}
	if v := slices.Compact(r.values("a_total,job=j")); v[0] != 1 {
		t.Errorf("the others begin with %v", v)
	}
	if got := l.sample("samples_total", "two"); got != -1 {
		t.Errorf("of an endpoint that is gone %v samples are shown", got)
	}
	bad := one
	bad.HTTP.TLSConfig.CAFile = "/nowhere.pem"
	if err := l.pusher.Configure([]Endpoint{bad}); err == nil {
		t.Error("no error for a certificate that is not there")
	}
	if err := Check([]Endpoint{bad}); err == nil {
		t.Error("no error of a check")
	}
	r.turn() // the one before stays in force
}
