package backfill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/proto"

	"github.com/ccwatchd/ccwatchd/push"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// encode writes a history like the API.
func encode(w io.Writer, h api.HistoryHeader, all iter.Seq2[api.HistorySeries, error]) error {
	out := json.NewEncoder(w)
	if err := out.Encode(h); err != nil {
		return err
	}
	for s, err := range all {
		if err := errors.Join(err, out.Encode(s)); err != nil {
			return err
		}
	}
	return nil
}

// A storage keeps the samples that it receives by series, as "time value", and for each
// request the span of its times in milliseconds.
type storage struct {
	testing.TB
	samples map[string][]string
	ends    []int64 // the latest time of each request
	types   map[string]string
}

// Store implements the storage of the handler.
func (s *storage) Store(r *http.Request, _ remote.WriteMessageType) (*remote.WriteResponse, error) {
	response := remote.NewWriteResponse()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return response, err
	}
	var q writev2.Request
	if err := proto.Unmarshal(body, &q); err != nil {
		return response, err
	}
	latest := int64(0)
	for _, ts := range q.GetTimeseries() {
		labels := writev2.DesymbolizeLabels(ts.GetLabelsRefs(), q.GetSymbols(), nil)
		name, pairs := "", []string(nil)
		for i := 0; i < len(labels); i += 2 {
			if labels[i] == "__name__" {
				name = labels[i+1]
				continue
			}
			pairs = append(pairs, labels[i]+"="+strconv.Quote(labels[i+1]))
		}
		key := name + "{" + strings.Join(pairs, ",") + "}"
		s.types[name] = ts.GetMetadata().GetType().String()
		for _, v := range ts.GetSamples() {
			s.samples[key] = append(s.samples[key], fmt.Sprintf("%d %s", v.GetTimestamp(), strconv.FormatFloat(v.GetValue(), 'g', -1, 64)))
			latest = max(latest, v.GetTimestamp())
		}
		response.Samples += len(ts.GetSamples())
	}
	s.ends = append(s.ends, latest)
	return response, nil
}

// receive sends a plan to a server and returns what arrives.
func receive(t *testing.T, p *Plan) *storage {
	t.Helper()
	s := &storage{TB: t, samples: make(map[string][]string), types: make(map[string]string)}
	server := httptest.NewServer(remote.NewWriteHandler(s, remote.MessageTypes{remote.WriteV2MessageType}))
	defer server.Close()
	sender, err := push.NewSender(push.Endpoint{Name: "one", URL: server.URL, Protocol: remote.WriteV2MessageType, Timeout: time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	if err := p.Send(t.Context(), sender); err != nil {
		t.Fatal(err)
	}
	return s
}

// Remote write sends exactly the samples of the file.
func TestSend(t *testing.T) {
	p, text := plan(t, sessions(nil), testOptions())
	got := receive(t, p)
	if want := parseFile(t, text); !reflect.DeepEqual(got.samples, want) {
		t.Errorf("got %v, want %v", got.samples, want)
	}
	if counter, histogram := got.types["claude_cost_usd_total"], got.types["claude_tool_duration_seconds_sum"]; counter != "METRIC_TYPE_COUNTER" || histogram != "METRIC_TYPE_HISTOGRAM" {
		t.Errorf("got types %s and %s", counter, histogram)
	}
}

// Samples are sent in the order of time, an hour after the other.
func TestSendInOrder(t *testing.T) {
	p, err := New(t.Context(), manySeries(300, 2), Options{Step: DefaultStep})
	if err != nil {
		t.Fatal(err)
	}
	got := receive(t, p)
	n := 0
	for _, samples := range got.samples {
		n += len(samples)
	}
	if int64(n) != p.Samples {
		t.Errorf("got %d samples, want %d", n, p.Samples)
	}
	if len(got.ends) < 48 || !slices.IsSorted(got.ends) {
		t.Errorf("got requests until %v", got.ends)
	}
}

// A sizeCounter counts the bytes of all requests.
type sizeCounter struct{ size int64 }

// Store implements the storage of the handler.
func (c *sizeCounter) Store(r *http.Request, _ remote.WriteMessageType) (*remote.WriteResponse, error) {
	n, err := io.Copy(io.Discard, r.Body)
	c.size += n
	return remote.NewWriteResponse(), err
}

// Requests of the protocol that a URL gets are as large as planned.
func TestSendSize(t *testing.T) {
	p, err := New(t.Context(), manySeries(300, 2), Options{Step: DefaultStep, Labels: map[string]string{"job": "ccwatchd", "instance": "localhost:10229"}})
	if err != nil {
		t.Fatal(err)
	}
	var got sizeCounter
	server := httptest.NewServer(remote.NewWriteHandler(&got, remote.MessageTypes{remote.WriteV1MessageType}))
	defer server.Close()
	sender, err := push.NewSender(push.Endpoint{Name: "one", URL: server.URL, Protocol: remote.WriteV1MessageType, Timeout: time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	if err := p.Send(t.Context(), sender); err != nil {
		t.Fatal(err)
	}
	if ratio := float64(got.size) / float64(p.SendSize); ratio < .8 || ratio > 1.2 {
		t.Errorf("the requests have %d bytes, and %d as planned", got.size, p.SendSize)
	}
}
