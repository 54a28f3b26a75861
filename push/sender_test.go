package push

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// newSender returns a sender that records its delays instead of waiting.
func newSender(t *testing.T, e Endpoint) (s *Sender, delays *[]time.Duration) {
	t.Helper()
	s, err := NewSender(e, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	delays = new([]time.Duration)
	s.sleep = func(ctx context.Context, d time.Duration) error {
		*delays = append(*delays, d)
		return ctx.Err()
	}
	return s, delays
}

func testPast(name string, labels map[string]string, all ...sample) *Past {
	f := &dto.MetricFamily{Name: &name, Help: new("Help."), Type: dto.MetricType_COUNTER.Enum()}
	return &Past{Name: name, Labels: labels, Family: f, UpTo: func(limit int64, add func(int64, float64)) {
		for ; len(all) > 0 && all[0].at < limit; all = all[1:] {
			add(all[0].at, all[0].value)
		}
	}}
}

// All samples arrive in order, in requests of a limited size. The labels of a series
// take precedence over the endpoint's labels.
func TestSender(t *testing.T) {
	forProtocols(t, func(t *testing.T, r *receiver, _ *pushTest, e Endpoint) {
		e.Labels = map[string]string{"job": "j", "user": "endpoint", "empty": ""}
		s, _ := newSender(t, e)
		var want []float64
		var samples []sample
		for i := range maxSamples * 3 / 2 {
			want = append(want, float64(i))
			samples = append(samples, sample{float64(i), int64(i + 1)})
		}
		past := []*Past{
			testPast("a_total", map[string]string{"user": "own"}, samples...), testPast("b_total", nil, samples...), testPast("c_total", nil),
		}
		sent := 0
		if err := s.Send(t.Context(), past, 0, int64(len(samples)), func(n int) { sent += n }); err != nil || sent != 2*len(samples) {
			t.Fatalf("got %d samples and %v, want %d", sent, err, 2*len(samples))
		}
		for _, key := range []string{"a_total,job=j,user=own", "b_total,job=j,user=endpoint"} {
			if got := r.values(key); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %d values, want %d", key, len(got), len(want))
			}
		}
		if got := len(r.requests()); got != 2 {
			t.Errorf("got %d requests, want 2", got)
		}
	})
}

// A busy server is retried. A server that refuses the samples or the request is not
// retried.
func TestSenderRetries(t *testing.T) {
	for _, test := range []struct {
		statuses []int // of the first requests
		requests int
		refused  bool
		failed   bool
	}{
		{[]int{503, 429, 500}, 4, false, false},
		{[]int{400}, 1, true, true},
		{[]int{409}, 1, true, true},
		{[]int{503, 422}, 2, true, true},
		{[]int{401}, 1, false, true},
		{[]int{503, 403}, 2, false, true},
		{[]int{503, 503, 503, 503, 503, 503, 503, 503, 503, 503, 503}, maxAttempts, false, true},
	} {
		r := newReceiver(t)
		r.respond = func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n > len(test.statuses) {
				return false
			}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(test.statuses[n-1])
			return true
		}
		s, delays := newSender(t, testEndpoint(r.URL))
		err := s.Send(t.Context(), []*Past{testPast("a_total", nil, sample{1, 1000})}, 0, 1000, func(int) {})
		if (err != nil) != test.failed || Refused(err) != test.refused || len(r.requests()) != test.requests {
			t.Errorf("%v: got %v after %d requests, want %d", test.statuses, err, len(r.requests()), test.requests)
		}
		if len(*delays) != test.requests-1 {
			t.Errorf("%v: got %d delays", test.statuses, len(*delays))
		}
		for _, d := range *delays {
			if d < 7*time.Second || d > maxBackoff {
				t.Errorf("%v: got a delay of %v", test.statuses, d)
			}
		}
	}
}

func TestSenderCanceled(t *testing.T) {
	r := newReceiver(t)
	r.respondStatus(http.StatusServiceUnavailable)
	s, _ := newSender(t, testEndpoint(r.URL))
	past := []*Past{testPast("a_total", nil, sample{1, 1000})}
	ctx, cancel := context.WithCancel(t.Context())
	s.sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return sleep(ctx, time.Hour)
	}
	if err := s.Send(ctx, past, 0, 1000, func(int) {}); !errors.Is(err, context.Canceled) || Refused(err) {
		t.Errorf("got %v", err)
	}
}
