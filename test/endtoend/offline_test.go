//go:build endtoend

package endtoend

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const (
	// selfScrape makes a Prometheus have samples of the present. It then refuses samples
	// that are more than an hour older, unless it has a window for them.
	selfScrape = `global: {scrape_interval: 1s}
scrape_configs: [{job_name: self, static_configs: [{targets: [%q]}]}]
`
	outOfOrderWindow = "storage: {tsdb: {out_of_order_time_window: 6h}}\n"
)

// TestOffline starts a daemon whose servers accepted samples three hours ago, and which
// was not running while sessions were written. Every server gets the usage with its
// true times, except one server that accepts only the last hour.
func TestOffline(t *testing.T) {
	t.Parallel()
	scraping := func(name, config string) *Server {
		s := NewPrometheus(t, name, Prometheus, "", "--web.enable-remote-write-receiver")
		s.Write(t, "prometheus.yml", config+fmt.Sprintf(selfScrape, s.Address))
		return s
	}
	alone := NewPrometheus(t, "Prometheus", Prometheus, "", "--web.enable-remote-write-receiver")
	strict, window := scraping("strict Prometheus", ""), scraping("Prometheus with a window", outOfOrderWindow)
	victoria := NewVictoriaMetrics(t, "")
	var receivers []receiver
	for _, r := range []receiver{
		{"alone", alone, nil, "prometheus.WriteRequest"},
		{"strict", strict, nil, "prometheus.WriteRequest"},
		{"window", window, nil, "io.prometheus.write.v2.Request"},
		{"victoria", victoria, nil, "prometheus.WriteRequest"},
	} {
		r.server.Start(t)
		r.proxy = newFlakyProxy(t, r.server)
		r.proxy.close()
		receivers = append(receivers, r)
	}
	for _, s := range []*Server{strict, window} {
		Eventually(t, s.Name+" scrapes", func() error {
			if n := query(t, s, "up"); len(n) == 0 {
				return errors.New("no sample")
			}
			return nil
		})
	}

	u := newUsage(t)
	u.visit(u.begin.Add(-2*time.Hour), "old", 7)
	config := "sources: [{path: " + filepath.Join(u.dir, "projects") + "}]\nintervals: {message_timeout: 1s, zero_window: 3s, scan: 1s}\nremote_write:\n"
	for _, r := range receivers {
		config += fmt.Sprintf("  - {name: %s, url: 'http://%s/api/v1/write', protobuf_message: %s, interval: 1s, remote_timeout: 5s, labels: {instance: %[1]s}}\n", r.name, r.proxy.address, r.message)
	}
	daemon := NewDaemon(t, Daemon(t), config)
	daemon.Start(t)
	daemon.Stop(t)
	u.lastAccepted(t, daemon, receivers)
	u.work()

	for _, r := range receivers {
		r.proxy.mode.Store(int32(unavailable))
		r.proxy.open(t)
	}
	daemon.Start(t)
	for _, mode := range []faultMode{unavailable, throttling, healthy} {
		for _, r := range receivers {
			r.proxy.mode.Store(int32(mode))
			Eventually(t, r.name+" gets requests in the mode", func() error { return r.proxy.applied(mode) })
		}
	}
	awaitSettled(t, "all receivers are up to date", daemon, func(numbers map[string]float64) (err error) {
		for _, r := range receivers {
			err = errors.Join(err, r.upToDate(t, numbers))
		}
		return err
	})
	for _, r := range receivers {
		t.Run(r.name, func(t *testing.T) { u.check(t, &r, daemon) })
	}
}

// A usage is sessions of the last hours, with the number of prompts and the output
// tokens of each five minutes.
type usage struct {
	testing.TB
	dir        string
	begin      time.Time // of the time without servers
	sessions   int
	prompts    map[time.Time]float64 // by the end of the interval
	tokens     map[time.Time]float64
	beginnings int // intervals with usage
}

const interval = 5 * time.Minute

func newUsage(t *testing.T) *usage {
	t.Helper()
	return &usage{
		TB: t, dir: t.TempDir(), begin: time.Now().Add(-3 * time.Hour),
		prompts: make(map[time.Time]float64), tokens: make(map[time.Time]float64),
	}
}

// visit writes a session with a prompt and an answer at a time.
func (u *usage) visit(at time.Time, project string, tokens int) {
	u.sessions++
	id := fmt.Sprint("s", u.sessions)
	s := transcripttest.Session{ID: id, CWD: "/src/" + project, Start: at.Truncate(interval)}
	s.Prompt(id).Reply(transcripttest.Reply{ID: "m" + id, Model: "claude-opus-4-6", Out: tokens, Stop: "end_turn"})
	transcripttest.Dir{TB: u, Root: u.dir}.Append("projects/-src-"+project+"/"+id+".jsonl", s.String())
	end := at.Truncate(interval).Add(interval)
	u.prompts[end]++
	u.tokens[end] += float64(tokens)
}

// work writes sessions until now. Some series begin with them.
func (u *usage) work() {
	for n, at := 0, u.begin.Add(2*interval); at.Before(time.Now().Add(-2 * interval)); n, at = n+1, at.Add(time.Duration(n%7+1)*interval) {
		u.visit(at, "old", 100+n)
		u.visit(at, []string{"new", "newer"}[min(1, n/3)], 1000*(n+1))
		u.beginnings++
	}
}

// lastAccepted replaces the record of when the endpoints accepted samples.
func (u *usage) lastAccepted(t *testing.T, daemon *Server, all []receiver) {
	t.Helper()
	path := filepath.Join(daemon.Dir, "state", "endpoints.json")
	var times map[string]int64
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &times)
	}
	if err != nil || len(times) != len(all) {
		t.Fatalf("got %s, %v, want the times of %d endpoints", b, err, len(all))
	}
	for name := range times {
		times[name] = u.begin.UnixMilli()
	}
	if b, err = json.Marshal(times); err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// check checks the increases at a receiver, and the daemon's report.
func (u *usage) check(t *testing.T, r *receiver, daemon *Server) {
	selector := `{instance="` + r.name + `"`
	for _, ts := range query(t, r.server, strings.TrimSuffix(counterSelector(), "}")+`, instance="`+r.name+`"}[6h]`) {
		checkRises(t, ts)
	}
	from, refuses := u.begin, false
	if r.name == "strict" {
		from, refuses = time.Now().Add(-50*time.Minute), true
	}
	for expr, want := range map[string]map[time.Time]float64{
		`sum(increase(claude_prompts_total` + selector + `}[5m]))`:              u.prompts,
		`sum(increase(claude_tokens_total` + selector + `,type="output"}[5m]))`: u.tokens,
	} {
		found := 0
		for end := from.Truncate(interval).Add(2 * interval); end.Before(time.Now()); end = end.Add(interval) {
			got := 0.
			if all, err := r.server.Query(t.Context(), expr, end); err != nil {
				t.Fatal(err)
			} else if len(all) > 0 {
				got = all[0].Samples[0].Value
			}
			if math.Abs(got-want[end]) > 1e-4*want[end] {
				t.Errorf("%s until %v: got %v, want %v", expr, end, got, want[end])
			}
			if want[end] > 0 {
				found++
			}
		}
		if found < 2 || !refuses && found != u.beginnings {
			t.Errorf("%s: got %d intervals with usage", expr, found)
		}
	}
	text, err := daemon.Get(t.Context(), "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	numbers := numbersOf(t, string(text), []string{"ccwatchd_remote_write_history_samples_total"})
	count := func(result string) float64 {
		return numbers[`ccwatchd_remote_write_history_samples_total{remote_name="`+r.name+`", result="`+result+`"}`]
	}
	if count("sent") == 0 || (count("refused") > 0) != refuses {
		t.Errorf("got %v samples sent and %v refused in %v", count("sent"), count("refused"), numbers)
	}
}
