//go:build endtoend

package endtoend

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
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
	weather atomic.Int32
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

func (r *road) close() { _ = r.server.Close() }

// A writer writes the lines of sessions as time goes by.
type writer struct {
	dir   string
	lines []corpus.Line
}

// write writes a share of all lines, evenly over some time.
func (w *writer) write(t *testing.T, share int, over time.Duration) {
	t.Helper()
	const step = 50 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	steps := int(over / step)
	share = min(share, len(w.lines))
	some := w.lines[:share]
	w.lines = w.lines[share:]
	for i := range steps {
		for _, l := range some[len(some)*i/steps : len(some)*(i+1)/steps] {
			path := filepath.Join(w.dir, filepath.FromSlash(l.Path))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(l.Text); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		<-tick.C
	}
}

// TestRemoteWrite has the daemon send to Prometheus, by both protocols, and to
// VictoriaMetrics, on a road that is broken, busy, slow, or not there at all, while
// sessions are written. In the end every counter is the true one there, began at zero
// and never fell; also though the daemon was killed while it could send nothing.
func TestRemoteWrite(t *testing.T) {
	prometheus := NewPrometheus(t, "Prometheus", Prometheus, "", "--web.enable-remote-write-receiver", "--enable-feature=created-timestamp-zero-ingestion")
	victoria := NewVictoriaMetrics(t, "")
	prometheus.Start(t)
	victoria.Start(t)
	receivers := []receiver{
		{"one", prometheus, newRoad(t, prometheus), "/api/v1/write", "prometheus.WriteRequest"},
		{"two", prometheus, newRoad(t, prometheus), "/api/v1/write", "io.prometheus.write.v2.Request"},
		{"victoria", victoria, newRoad(t, victoria), "/api/v1/write", "prometheus.WriteRequest"},
	}
	in := func(now weather) {
		for _, r := range receivers {
			r.road.weather.Store(int32(now))
		}
	}
	home := t.TempDir()
	daemon := NewServer(t, "ccwatchd", Daemon(t), "/-/ready", "--config.file=ccwatchd.yml", "--state.dir=state", "--web.listen-address=ADDRESS")
	configure := func(settle string) {
		text := "sources: [{path: '" + home + "'}]\nintervals: {scan: 1s, settle: " + settle + "}\nremote_write:\n"
		for _, r := range receivers {
			text += fmt.Sprintf("  - {name: %s, url: 'http://%s%s', protobuf_message: %s, interval: 1s, remote_timeout: 1s, labels: {instance: %[1]s}}\n", r.name, r.road.address, r.path, r.message)
		}
		daemon.Write(t, "ccwatchd.yml", text)
	}
	configure("10m")
	daemon.Start(t)

	author := corpus.NewAuthor(7, 4, time.Now(), 1)
	w := writer{dir: home}
	for _, session := range author.Showcase(4, time.Now()) {
		w.lines = append(w.lines, session...)
	}
	share := len(w.lines)/7 + 1
	for _, now := range []weather{fair, broken, busy, slow, hanging} {
		in(now)
		w.write(t, share, 3*time.Second)
	}
	in(fair)
	w.write(t, 0, 4*time.Second) // what is new has arrived at all of them by then
	for _, r := range receivers {
		r.road.close()
	}
	w.write(t, share, 3*time.Second)
	daemon.Kill(t)
	daemon.Start(t)
	w.write(t, share, away()) // which for every receiver ends as it should
	for _, r := range receivers {
		r.road.open(t)
	}
	configure("1s")
	if err := daemon.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	var truth bytes.Buffer
	if err := author.Truth().WriteTSV(&truth); err != nil {
		t.Fatal(err)
	}
	var shown map[string]float64
	Eventually(t, "the daemon shows the true totals", func() error {
		page, err := daemon.Get(t.Context(), "/metrics", nil)
		if err != nil {
			return err
		}
		diff, err := reference.Compare(bytes.NewReader(truth.Bytes()), bytes.NewReader(page), reference.Options{})
		if err == nil && len(diff) > 0 {
			err = fmt.Errorf("%w: %v", errOther, diff)
		}
		if err == nil {
			shown, err = counters(page)
		}
		return err
	})
	for _, r := range receivers {
		t.Run(r.name, func(t *testing.T) { r.has(t, shown) })
	}
	daemon.Stop(t)
	for _, r := range receivers {
		Eventually(t, "that it is over is known at "+r.name, func() error {
			left, err := r.server.Query(t.Context(), `count({instance="`+r.name+`"})`, time.Now())
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("%w: %v series", errLeft, left[0].Samples[0].Value)
			}
			return err
		})
		for weather := range r.road.met {
			if r.road.met[weather].Load() == 0 {
				t.Errorf("%s: nothing was sent in weather %d", r.name, weather)
			}
		}
	}
}

var (
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

// A receiver is what the daemon sends to.
type receiver struct {
	name    string
	server  *Server
	road    *road
	path    string
	message string
}

// has waits until every counter is there as the daemon shows it, and looks at how it
// came to that.
func (r *receiver) has(t *testing.T, shown map[string]float64) {
	t.Helper()
	var all []Series
	Eventually(t, "all has arrived", func() (err error) {
		all, err = r.server.Query(t.Context(), `{__name__=~"ccwatch_.+", instance="`+r.name+`"}[1h]`, time.Now())
		if err != nil {
			return err
		}
		got := make(map[string]float64)
		for _, s := range all {
			if key := keyOf(s.Labels); isCounter(key) {
				got[key] = s.Samples[len(s.Samples)-1].Value
			}
		}
		if !maps.Equal(got, shown) {
			return fmt.Errorf("%w: %d series and %d", errOther, len(got), len(shown))
		}
		return nil
	})
	for _, s := range all {
		key := keyOf(s.Labels)
		if !isCounter(key) {
			continue
		}
		if s.Samples[0].Value != 0 {
			t.Errorf("%s begins at %v", key, s.Samples[0].Value)
		}
		if !slices.IsSortedFunc(s.Samples, func(a, b Sample) int { return int(a.Value*1000 - b.Value*1000) }) {
			t.Errorf("%s falls: %v", key, s.Samples)
		}
		if s.Labels["job"] != "ccwatchd" {
			t.Errorf("%s has the job %q", key, s.Labels["job"])
		}
	}
}

// isCounter reports whether a series of ccwatch_ is one that counts.
func isCounter(key string) bool {
	name, _, _ := strings.Cut(key, "{")
	for _, end := range []string{"_total", "_bucket", "_sum", "_count"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// keyOf names a series as the daemon shows it.
func keyOf(labels map[string]string) string {
	key := labels["__name__"] + "{"
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if name != "__name__" && name != "job" && name != "instance" && labels[name] != "" {
			key += name + "=" + labels[name] + ","
		}
	}
	return key
}

// bound writes the bound of a bucket as Prometheus stores it.
func bound(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".eI") {
		text += ".0"
	}
	return text
}

// counters returns what counts of the ccwatch_ families of a page, by series.
func counters(page []byte) (map[string]float64, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	all := make(map[string]float64)
	for name, f := range families {
		if !strings.HasPrefix(name, "ccwatch_") {
			continue
		}
		for _, m := range f.GetMetric() {
			labels := make(map[string]string)
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			add := func(suffix string, v float64) {
				labels["__name__"] = name + suffix
				all[keyOf(labels)] = v
			}
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				add("", m.GetCounter().GetValue())
			case dto.MetricType_HISTOGRAM:
				add("_sum", m.GetHistogram().GetSampleSum())
				add("_count", float64(m.GetHistogram().GetSampleCount()))
				for _, b := range m.GetHistogram().GetBucket() {
					labels["le"] = bound(b.GetUpperBound())
					add("_bucket", float64(b.GetCumulativeCount()))
				}
			default:
			}
		}
	}
	return all, err
}
