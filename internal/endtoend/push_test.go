//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// A weather is what happens to requests on their way.
type weather int32

const (
	fair weather = iota
	broken
	busy
	slow
	hanging
)

// A road leads to a server, and is not always open.
type road struct {
	weather atomic.Int32 // of now
	address string
	server  *http.Server
	handler http.Handler
	met     [hanging + 1]atomic.Int64 // requests in each weather
}

func newRoad(t *testing.T, to *Server) *road {
	t.Helper()
	target, err := url.Parse(to.URL())
	if err != nil {
		t.Fatal(err)
	}
	next := httputil.NewSingleHostReverseProxy(target)
	r := &road{address: FreeAddress(t)}
	r.handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		now := weather(r.weather.Load())
		r.met[now].Add(1)
		switch now {
		case broken:
			w.WriteHeader(http.StatusServiceUnavailable)
		case busy:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case slow:
			<-time.After(700 * time.Millisecond)
			next.ServeHTTP(w, q)
		case hanging:
			_, _ = io.Copy(io.Discard, q.Body)
			<-q.Context().Done()
		default:
			next.ServeHTTP(w, q)
		}
	})
	t.Cleanup(func() { _ = r.server.Close() })
	r.open(t)
	return r
}

func (r *road) open(t *testing.T) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	r.server = &http.Server{Handler: r.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(l) }()
}

// hasMet reports an error if nobody has come by in a weather.
func (r *road) hasMet(w weather) error {
	if r.met[w].Load() == 0 {
		return fmt.Errorf("%w: %d", errUnmet, w)
	}
	return nil
}

func (r *road) close() { _ = r.server.Close() }

// longOutage is longer than no receiver can be reached after the daemon is started
// again. What is new then begins at 0 for all of them.
const longOutage = "30s"

// TestRemoteWrite has the daemon send to Prometheus, by both protocols, and to
// VictoriaMetrics, on a road that is broken, busy, slow, or not there at all, while
// sessions are written. In the end every counter is the true one there, began at zero
// and never fell; also though the daemon was killed while it could send nothing.
func TestRemoteWrite(t *testing.T) {
	t.Parallel()
	prometheus := NewPrometheus(t, "Prometheus", Prometheus, "", "--web.enable-remote-write-receiver", "--enable-feature=created-timestamp-zero-ingestion")
	victoria := NewVictoriaMetrics(t, "")
	prometheus.Start(t)
	victoria.Start(t)
	receivers := []receiver{
		{"one", prometheus, newRoad(t, prometheus), "prometheus.WriteRequest"},
		{"two", prometheus, newRoad(t, prometheus), "io.prometheus.write.v2.Request"},
		{"victoria", victoria, newRoad(t, victoria), "prometheus.WriteRequest"},
	}
	in := func(now weather) {
		for _, r := range receivers {
			r.road.weather.Store(int32(now))
		}
	}
	w := newWorkload(t, 7, 30*time.Second)
	config := func(settle string) string {
		text := follow(w, settle, longOutage) + "remote_write:\n"
		for _, r := range receivers {
			text += fmt.Sprintf("  - {name: %s, url: 'http://%s/api/v1/write', protobuf_message: %s, interval: 1s, remote_timeout: 1s, labels: {instance: %[1]s}}\n", r.name, r.road.address, r.message)
		}
		return text
	}
	daemon := NewDaemon(t, Daemon(t), config("24h"))
	daemon.Start(t)
	w.begin()
	for i, now := range []weather{fair, broken, busy, slow, hanging, fair} {
		in(now)
		w.write(t, .1*float64(i+1))
		for _, r := range receivers {
			Eventually(t, r.name+" meets the weather", func() error { return r.road.hasMet(now) })
		}
	}
	all := func(what string) {
		settled(t, what, daemon, func(numbers map[string]float64) (err error) {
			for _, r := range receivers {
				err = errors.Join(err, r.behind(t, numbers))
			}
			return err
		})
	}
	// Who has not seen by then that a series began will not see it later.
	all("everybody has all so far")
	for _, r := range receivers {
		r.road.close()
	}
	w.write(t, .8)
	daemon.Kill(t)
	daemon.Start(t)
	w.write(t, 1)
	<-time.After(away())
	for _, r := range receivers {
		r.road.open(t)
	}
	daemon.Write(t, "ccwatchd.yml", config("1s"))
	daemon.Signal(t, syscall.SIGHUP)
	Eventually(t, "the totals are the true ones", func() error {
		page, _ := shown(t, daemon)
		diff, err := reference.Compare(strings.NewReader(w.expected(t)), strings.NewReader(page), reference.Options{})
		if err == nil && len(diff) > 0 {
			err = fmt.Errorf("%w: %v", errOther, diff)
		}
		return err
	})
	all("everybody has everything")
	for _, r := range receivers {
		t.Run(r.name, r.check)
	}
	daemon.Stop(t)
	for _, r := range receivers {
		Eventually(t, "that it is over is known at "+r.name, func() error {
			// Of a session that had ended when the daemon was killed nobody can tell.
			left, err := r.server.Query(t.Context(), `count({instance="`+r.name+`", __name__!="claude_session_context_tokens"})`, time.Now())
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("%w: %v series", errLeft, left[0].Samples[0].Value)
			}
			return err
		})
	}
}

var (
	errUnmet = errors.New("nobody came by in weather")
	errLeft  = errors.New("not over yet")
	errOther = errors.New("other than it should be")
)

// away is how long the receivers are away: a few seconds, or what
// CCWATCHD_AWAY says.
func away() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("CCWATCHD_AWAY")); err == nil {
		return d
	}
	return 8 * time.Second
}

// A receiver is what the daemon sends to, and on which way.
type receiver struct {
	name    string
	server  *Server
	road    *road
	message string
}

// history is everything that it has of what the daemon keeps in its state.
func (r *receiver) history(t *testing.T) ([]Series, error) {
	t.Helper()
	return r.server.Query(t.Context(), strings.TrimSuffix(kept(), "}")+`, instance="`+r.name+`"}`+everything, time.Now())
}

// behind tells how what it has last of every series differs from numbers.
func (r *receiver) behind(t *testing.T, numbers map[string]float64) error {
	t.Helper()
	series, err := r.history(t)
	if err == nil && len(series) != len(numbers) {
		err = fmt.Errorf("%s: %w: %d series, and the daemon shows %d", r.name, errOther, len(series), len(numbers))
	}
	for _, one := range series {
		name := nameOf(one.Labels)
		if got, want := one.Samples[len(one.Samples)-1].Value, numbers[name]; !equal(got, want) {
			err = fmt.Errorf("%s: %w: %g of %s, and the daemon shows %g", r.name, errOther, got, name, want)
		}
	}
	return err
}

// check looks at how it came to what it has: every series begins at zero and never
// falls.
func (r *receiver) check(t *testing.T) {
	series, err := r.history(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range series {
		checkGrowth(t, one)
		if one.Labels["job"] != "ccwatchd" {
			t.Errorf("%shas the job %q", nameOf(one.Labels), one.Labels["job"])
		}
	}
}
