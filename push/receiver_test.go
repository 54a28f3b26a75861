package push

import (
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A storedSample is a received sample.
type storedSample struct {
	value    float64
	at       int64
	start    int64 // of the sample and of its series; protocol 2
	metadata string
}

func (s storedSample) stale() bool { return math.Float64bits(s.value) == math.Float64bits(staleMarker) }

// A receiver is a server that stores samples with the handler of the client library. It
// reports an error for every request that a server would refuse.
type receiver struct {
	testing.TB
	*httptest.Server
	mu     sync.Mutex
	series map[string][]storedSample // by labels
	seen   []*http.Request           // without bodies
	// respond may respond to the nth request instead of the receiver, and then returns
	// true.
	respond func(n int, w http.ResponseWriter, r *http.Request) bool
	// refuses reports whether to refuse a request because of a sample at this time, as
	// Prometheus does with protocol 1.
	refuses       func(at int64) bool
	refusalStatus int
	refused       []int64       // times of the samples, one for each request
	stored        chan struct{} // receives a value for each stored request
}

func newReceiver(t testing.TB) *receiver {
	r := newUnstartedReceiver(t)
	r.Start()
	return r
}

func newUnstartedReceiver(t testing.TB) *receiver {
	r := &receiver{TB: t, series: make(map[string][]storedSample), stored: make(chan struct{}, 10_000)}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	r.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	r.seen = append(r.seen, q)
	n, respond := len(r.seen), r.respond
	r.mu.Unlock()
	if respond != nil && respond(n, w, q) {
		_, _ = io.Copy(io.Discard, q.Body)
		return
	}
	remote.NewWriteHandler(r, remote.MessageTypes{remote.WriteV1MessageType, remote.WriteV2MessageType}).ServeHTTP(w, q)
}

// Store implements the storage of the handler.
func (r *receiver) Store(q *http.Request, p remote.WriteMessageType) (*remote.WriteResponse, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	decode := decodeV1
	if p == remote.WriteV2MessageType {
		decode = decodeV2
	}
	response := remote.NewWriteResponse()
	r.mu.Lock()
	defer r.mu.Unlock()
	err = decode(body, func(_ []string, s storedSample) error {
		if r.refuses != nil && r.refuses(s.at) {
			r.refused = append(r.refused, s.at)
			return errRefused
		}
		return nil
	})
	if err != nil {
		response.SetStatusCode(r.refusalStatus)
		return response, err
	}
	err = decode(body, func(labels []string, s storedSample) error {
		response.Samples++
		return r.store(labels, s)
	})
	if err != nil {
		r.Errorf("a server would refuse this: %v", err)
		response.SetStatusCode(http.StatusBadRequest)
		return response, err
	}
	r.stored <- struct{}{}
	return response, nil
}

var errRefused = errors.New("refused")

func (r *receiver) store(labels []string, s storedSample) error {
	var names, pairs []string
	for i := 0; i < len(labels); i += 2 {
		if labels[i] == "" || labels[i+1] == "" {
			return fmt.Errorf("%w: an empty label in %q", errRefused, labels)
		}
		names = append(names, labels[i])
		pairs = append(pairs, labels[i]+"="+labels[i+1])
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) < len(names) {
		return fmt.Errorf("%w: the labels of %q", errRefused, labels)
	}
	key := strings.TrimPrefix(strings.Join(pairs, ","), "__name__=")
	before := r.series[key]
	if n := len(before); n > 0 && before[n-1].at >= s.at {
		return fmt.Errorf("%w: %s is out of order", errRefused, key)
	}
	r.series[key] = append(before, s)
	return nil
}

// values returns the received values of a series; -1 for a staleness marker.
func (r *receiver) values(key string) (all []float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.series[key] {
		if s.stale() {
			s.value = -1
		}
		all = append(all, s.value)
	}
	return all
}

// nextPush waits until a request that begins after this call is stored.
func (r *receiver) nextPush() {
	r.Helper()
	for len(r.stored) > 0 {
		<-r.stored
	}
	for range 2 { // the first may be in progress
		select {
		case <-r.stored:
		case <-time.After(polltest.Timeout):
			r.Fatal("timed out waiting for a request")
		}
	}
}

// last returns the newest value except for staleness markers; -1 without a value.
func (r *receiver) last(key string) float64 {
	v := r.live(key)
	if len(v) == 0 {
		return -1
	}
	return v[len(v)-1]
}

// live returns the values of a series without staleness markers.
func (r *receiver) live(key string) []float64 {
	return slices.DeleteFunc(r.values(key), func(v float64) bool { return v == -1 })
}

// rises reports whether values never fall and have no staleness marker except at the
// end.
func rises(values []float64) bool {
	if n := len(values); n > 0 && values[n-1] == -1 {
		values = values[:n-1]
	}
	return slices.IsSorted(values) && !slices.Contains(values, -1)
}

func (r *receiver) requests() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

func (r *receiver) setRespond(respond func(n int, w http.ResponseWriter, q *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.respond = respond
}

// respondStatus makes the receiver refuse all requests.
func (r *receiver) respondStatus(status int) {
	r.setRespond(func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		return true
	})
}

// hang makes the receiver not respond until the end of the test.
func (r *receiver) hang() {
	release := make(chan struct{})
	r.Cleanup(func() { close(release) })
	r.setRespond(func(int, http.ResponseWriter, *http.Request) bool { <-release; return true })
}

// decodeV2 decodes a message of protocol 2 with the client library, and the field that
// the library lacks.
func decodeV2(body []byte, take func([]string, storedSample) error) error {
	var q writev2.Request
	if err := proto.Unmarshal(body, &q); err != nil {
		return err
	}
	for _, t := range q.GetTimeseries() {
		for _, s := range t.GetSamples() {
			start := int64(0)
			if unknown := s.ProtoReflect().GetUnknown(); len(unknown) > 0 {
				field, kind, n := protowire.ConsumeTag(unknown)
				v, m := protowire.ConsumeVarint(unknown[n:])
				if field != v2SampleStart || kind != protowire.VarintType || n+m != len(unknown) {
					return fmt.Errorf("%w: an unknown field in a sample", errRefused)
				}
				start = int64(v)
			}
			if start != t.GetCreatedTimestamp() || start != 0 && start > s.GetTimestamp() {
				return fmt.Errorf("%w: %v", errRefused, t)
			}
			metadata := t.GetMetadata().GetType().String() + " " + q.GetSymbols()[t.GetMetadata().GetHelpRef()]
			err := take(writev2.DesymbolizeLabels(t.GetLabelsRefs(), q.GetSymbols(), nil), storedSample{s.GetValue(), s.GetTimestamp(), start, metadata})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// decodeV1 decodes a message of protocol 1, which the client library lacks.
func decodeV1(body []byte, take func([]string, storedSample) error) error {
	return fields(body, func(_ protowire.Number, series []byte, _ uint64) error {
		var labels []string
		return fields(series, func(n protowire.Number, of []byte, _ uint64) error {
			var s storedSample
			err := fields(of, func(m protowire.Number, text []byte, v uint64) error {
				switch {
				case n == v1Label:
					labels = append(labels, string(text))
				case m == sampleValue:
					s.value = math.Float64frombits(v)
				default:
					s.at = int64(v)
				}
				return nil
			})
			if err != nil || n == v1Label {
				return err
			}
			return take(labels, s)
		})
	})
}

// fields calls take for the fields of a message.
func fields(b []byte, take func(field protowire.Number, content []byte, v uint64) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		var content []byte
		var v uint64
		switch kind {
		case protowire.BytesType:
			content, size = protowire.ConsumeBytes(b)
		case protowire.Fixed64Type:
			v, size = protowire.ConsumeFixed64(b)
		default:
			v, size = protowire.ConsumeVarint(b)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		if err := take(n, content, v); err != nil {
			return err
		}
	}
	return nil
}
