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

// newSender returns a sender that notes its delays instead of waiting.
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

var pastFamily = &dto.MetricFamily{Name: new("a_total"), Help: new("Help."), Type: dto.MetricType_COUNTER.Enum()}

// All samples arrive in order, in requests of a limited size. The labels of a series
// take precedence over those of the endpoint.
func TestSender(t *testing.T) {
	forProtocols(t, func(t *testing.T, r *receiver, _ *pushTest, e Endpoint) {
		e.Labels = map[string]string{"job": "j", "user": "endpoint", "empty": ""}
		s, _ := newSender(t, e)
		series := []*Samples{
			s.NewSamples("a_total", map[string]string{"user": "own"}, pastFamily),
			s.NewSamples("b_total", nil, pastFamily),
			s.NewSamples("c_total", nil, pastFamily),
		}
		var want []float64
		for round := range 2 {
			for i := range maxSamples * 3 / 4 {
				v := round*maxSamples + i
				want = append(want, float64(v))
				series[0].Add(float64(v), int64(v+1))
				series[1].Add(float64(v), int64(v+1))
			}
			if err := s.Send(t.Context(), series); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range []string{"a_total,job=j,user=own", "b_total,job=j,user=endpoint"} {
			if got := r.values(key); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %d values, want %d", key, len(got), len(want))
			}
		}
		if got := len(r.requests()); got != 4 {
			t.Errorf("got %d requests, want 4", got)
		}
	})
}

// A busy server is retried, and one that refuses the samples or the request is not.
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
		a := s.NewSamples("a_total", nil, pastFamily)
		a.Add(1, 1000)
		err := s.Send(t.Context(), []*Samples{a})
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
	a := s.NewSamples("a_total", nil, pastFamily)
	a.Add(1, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	s.sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return sleep(ctx, time.Hour)
	}
	if err := s.Send(ctx, []*Samples{a}); !errors.Is(err, context.Canceled) || Refused(err) {
		t.Errorf("got %v", err)
	}
}
