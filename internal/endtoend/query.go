package endtoend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A Series is one that a server has answered with. A scalar has no labels.
type Series struct {
	Labels  map[string]string
	Samples []Sample
}

// A Sample is a value at a time. That of a native histogram, or of a string, is
// not to be had.
type Sample struct {
	At    time.Time
	Value float64
}

// errStatus is that of an answer which is not 200.
var errStatus = errors.New("not 200")

// Get returns what the server answers to a path with parameters. Another status
// than 200 is an error, with what was answered.
func (s *Server) Get(ctx context.Context, path string, parameters url.Values) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+path+"?"+parameters.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", s.Name, err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read what %s answers: %w", s.Name, err)
	case answer.StatusCode != http.StatusOK:
		return body, fmt.Errorf("%s answers to %s: %w: %s: %s", s.Name, path, errStatus, answer.Status, body)
	}
	return body, nil
}

// API decodes into data what the API of Prometheus answers to a path below
// /api/v1.
func (s *Server) API(ctx context.Context, path string, parameters url.Values, data any) error {
	body, err := s.Get(ctx, "/api/v1"+path, parameters)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, &struct{ Data any }{data}); err != nil {
		return fmt.Errorf("decode what %s answers to %s: %w", s.Name, path, err)
	}
	return nil
}

// Query evaluates an expression at a time. Every series has one sample then, or,
// if the expression is a range of them such as up[1h], all that the server has.
func (s *Server) Query(ctx context.Context, expr string, at time.Time) ([]Series, error) {
	return s.evaluate(ctx, "/query", url.Values{"query": {expr}, "time": {stamp(at)}})
}

// QueryRange evaluates an expression at every step from one time to another.
func (s *Server) QueryRange(ctx context.Context, expr string, from, to time.Time, step time.Duration) ([]Series, error) {
	return s.evaluate(ctx, "/query_range", url.Values{
		"query": {expr}, "start": {stamp(from)}, "end": {stamp(to)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)},
	})
}

func stamp(at time.Time) string { return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64) }

func (s *Server) evaluate(ctx context.Context, path string, parameters url.Values) ([]Series, error) {
	if err := s.flush(ctx); err != nil {
		return nil, err
	}
	var data struct {
		ResultType string
		Result     json.RawMessage
	}
	if err := s.API(ctx, path, parameters, &data); err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", parameters.Get("query"), err)
	}
	if data.ResultType == "scalar" {
		var one sample
		err := json.Unmarshal(data.Result, &one)
		return []Series{{Samples: []Sample{Sample(one)}}}, err
	}
	var all []struct {
		Metric map[string]string
		Value  *sample
		Values []sample
	}
	if err := json.Unmarshal(data.Result, &all); err != nil {
		return nil, fmt.Errorf("decode the result of %s: %w", parameters.Get("query"), err)
	}
	series := make([]Series, len(all))
	for i, one := range all {
		series[i].Labels = one.Metric
		if one.Value != nil {
			one.Values = append(one.Values, *one.Value)
		}
		for _, v := range one.Values {
			series[i].Samples = append(series[i].Samples, Sample(v))
		}
	}
	return series, nil
}

// flush has the server answer with all that it was told.
func (s *Server) flush(ctx context.Context) error {
	if s.Flush == "" {
		return nil
	}
	_, err := s.Get(ctx, s.Flush, nil)
	return err
}

// A sample is one as the API writes it: the seconds since the epoch, and the value as a
// string.
type sample Sample

func (s *sample) UnmarshalJSON(b []byte) error {
	var at float64
	var value string
	if err := json.Unmarshal(b, &[]any{&at, &value}); err != nil {
		return err
	}
	v, err := strconv.ParseFloat(value, 64)
	s.At, s.Value = time.UnixMilli(int64(at*1000+.5)), v
	return err
}
