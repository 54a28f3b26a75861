package push

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/config"
)

// one is a request with one sample.
func one(p remote.WriteMessageType) message {
	return encode(nil, p, []*series{{labels: labels(appendLabels(nil, []label{{"__name__", "hush_total"}})), value: 1}}, 1)
}

func write(t *testing.T, e Endpoint) error {
	t.Helper()
	c, err := newClient(&e)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	return c.write(context.Background(), one(e.Protocol))
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name   string
		p      remote.WriteMessageType
		status int
		after  string
		want   failure
		text   string
	}{
		{"busy", remote.WriteV1MessageType, 429, "7", failure{reason: rateLimited, again: true, after: 7 * time.Second}, "the server answers with HTTP status 429 Too Many Requests"},
		{"busy without end", remote.WriteV2MessageType, 503, "soon", failure{reason: serverError, again: true}, "the server answers with HTTP status 503 Service Unavailable"},
		{"broken", remote.WriteV1MessageType, 500, "", failure{reason: serverError, again: true}, "the server answers with HTTP status 500 Internal Server Error"},
		{"refused", remote.WriteV1MessageType, 400, "7", failure{reason: rejected}, "the server answers with HTTP status 400 Bad Request"},
		{"not let in", remote.WriteV2MessageType, 401, "", failure{reason: rejected}, "the server answers with HTTP status 401 Unauthorized"},
		{"sent away", remote.WriteV1MessageType, 302, "", failure{reason: rejected}, "the endpoint redirects: configure the final URL; it answers with HTTP status 302 Found"},
		{"not confirmed", remote.WriteV2MessageType, 204, "", failure{reason: rejected}, "the server does not confirm that it has stored anything, so it may not know protocol 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReceiver(t)
			r.Start()
			r.answers(func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n > 1 {
					w.WriteHeader(http.StatusOK) // to log in
					return true
				}
				w.Header().Set("Location", "/login")
				if test.after != "" {
					w.Header().Set("Retry-After", test.after)
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(strings.Repeat("hush_total ", 100_000)))
				return true
			})
			e := endpoint(r.URL)
			e.Protocol = test.p
			err := write(t, e)
			got, ok := errors.AsType[*failure](err)
			if !ok || got.reason != test.want.reason || got.again != test.want.again || got.after != test.want.after {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if ok && got.Error() != test.text {
				t.Errorf("got %q, want %q", got, test.text)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	hangs := newReceiver(t)
	hangs.Start()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hangs.answers(func(int, http.ResponseWriter, *http.Request) bool { <-release; return true })
	gone := newReceiver(t)
	gone.Start()
	gone.Close()
	for name, address := range map[string]string{"hangs": hangs.URL, "gone": gone.URL} {
		t.Run(name, func(t *testing.T) {
			e := endpoint(strings.Replace(address, "http://", "http://ann:hush@", 1) + "/hush?token=hush")
			e.Timeout = 50 * time.Millisecond
			err := write(t, e)
			got, ok := errors.AsType[*failure](err)
			if !ok || got.reason != unreachable || !got.again {
				t.Errorf("got %+v", got)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("it tells a secret: %v", err)
			}
		})
	}
}

// Who sends, over what, and what stands in the headers is as the configuration says.
func TestRequest(t *testing.T) {
	r := newReceiver(t)
	r.StartTLS()
	dir := t.TempDir()
	file := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := file("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})))
	for _, test := range []struct {
		name string
		http config.HTTPClientConfig
		want string
	}{
		{"basic", config.HTTPClientConfig{BasicAuth: &config.BasicAuth{Username: "ann", PasswordFile: file("password", "hush\n")}}, "Basic YW5uOmh1c2g="},
		{"bearer", config.HTTPClientConfig{Authorization: &config.Authorization{Type: "Bearer", CredentialsFile: file("token", "hush")}}, "Bearer hush"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := endpoint(r.URL + "/api/v1/push?tenant=a")
			e.Protocol, e.Headers, e.HTTP = remote.WriteV2MessageType, map[string]string{"X-Scope-OrgID": "team"}, test.http
			e.HTTP.TLSConfig.CAFile = ca
			if err := write(t, e); err != nil {
				t.Fatal(err)
			}
			all := r.requests()
			last := all[len(all)-1]
			if last.URL.String() != "/api/v1/push?tenant=a" {
				t.Errorf("sent to %s", last.URL)
			}
			for name, want := range map[string]string{
				"Authorization": test.want, "X-Scope-OrgID": "team", "User-Agent": "ccwatchd/test",
				"Content-Type":                      "application/x-protobuf;proto=io.prometheus.write.v2.Request",
				"X-Prometheus-Remote-Write-Version": "2.0.0",
			} {
				if got := last.Header.Get(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			delete(r.series, "hush_total")
		})
	}
	t.Run("another certificate", func(t *testing.T) {
		err := write(t, endpoint(r.URL))
		if got, ok := errors.AsType[*failure](err); !ok || got.reason != unreachable || !strings.Contains(got.Error(), "certificate") {
			t.Errorf("got %v", err)
		}
	})
}

func TestWait(t *testing.T) {
	busy := func(after time.Duration) error { return &failure{reason: rateLimited, again: true, after: after} }
	const interval = 15 * time.Second
	for _, test := range []struct {
		name        string
		err         error
		took, delay time.Duration
		least, most time.Duration
	}{
		{"all is well", nil, 2 * time.Second, 0, 13 * time.Second, 13 * time.Second},
		{"slow", nil, time.Minute, 0, 0, 0},
		{"all is well again", nil, 0, interval, interval, interval},
		{"rejected", &failure{reason: rejected}, time.Second, 0, 14 * time.Second, 14 * time.Second},
		{"fails", busy(0), time.Second, 0, time.Second / 2, time.Second},
		{"fails again", busy(0), time.Second, 2 * time.Second, 2 * time.Second, 4 * time.Second},
		{"fails for long", busy(0), time.Second, interval, interval / 2, interval},
		{"asks for time", busy(time.Minute), 0, 0, time.Minute, time.Minute},
		{"asks for too much", busy(1e9 * time.Second), 0, 0, time.Hour, time.Hour},
		{"asks for yesterday", busy(-24 * time.Hour), 0, 0, time.Second / 2, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 100 {
				r := runner{Endpoint: Endpoint{Interval: interval}, delay: test.delay}
				if got := r.wait(test.err, test.took); got < test.least || got > test.most {
					t.Fatalf("got %v, want %v to %v", got, test.least, test.most)
				}
			}
		})
	}
}

// What the server does not take is told once, and not tried again before its time.
func TestRejected(t *testing.T) {
	r := newReceiver(t)
	r.Start()
	r.answers(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	l := newLab(t)
	counter(l.source, "a_total", 1)
	l.start(endpoint(r.URL))
	eventually(t, "some are rejected", func() bool { return l.sample("failures_total", "rejected") > 5 })
	l.stop()
	if n := strings.Count(l.log.text(), "does not take what is sent"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, l.log.text())
	}
	if got := l.sample("last_success", "one"); got != 0 {
		t.Errorf("the last success was at %v", got)
	}
}

// A server that hangs keeps nobody up: not another one, and the end no longer than
// is said.
func TestHangs(t *testing.T) {
	hangs, works := newReceiver(t), newReceiver(t)
	hangs.Start()
	works.Start()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hangs.answers(func(int, http.ResponseWriter, *http.Request) bool { <-release; return true })
	l := newLab(t)
	counter(l.source, "a_total", 1)
	one, two := endpoint(hangs.URL), endpoint(works.URL)
	one.Timeout, two.Name = 300*time.Millisecond, "two"
	l.start(one, two)
	eventually(t, "the one that hangs is asked", func() bool { return len(hangs.requests()) > 0 })
	works.turn()
	l.stop()
	if v := works.values("a_total"); v[len(v)-1] != -1 {
		t.Errorf("the other one is not told that it is over: %v", v)
	}
}

// A clock that is set back does not bring anything out of order: see receiver.
func TestClockIsSetBack(t *testing.T) {
	r := newReceiver(t)
	r.Start()
	l := newLab(t)
	counter(l.source, "a_total", 1)
	begun, n := time.Now(), 0
	l.pusher.Now = func() time.Time { n++; return begun.Add(-time.Duration(n) * time.Minute) }
	l.start(endpoint(r.URL))
	r.turn()
	r.turn()
	l.stop()
	if v := r.values("a_total"); len(v) < 4 {
		t.Errorf("only %v arrives", v)
	}
}
