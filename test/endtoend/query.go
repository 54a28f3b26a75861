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

// A Series is a part of a query result. A scalar has no labels.
type Series struct {
	Labels  map[string]string
	Samples []Sample
}

// A Sample is a float value at a time.
type Sample struct {
	At    time.Time
	Value float64
}

var errStatus = errors.New("unexpected status")

// Get requests a path with parameters. A status other than 200 is an error.
func (s *Server) Get(ctx context.Context, path string, parameters url.Values) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+path+"?"+parameters.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	if s.Tenant != "" {
		req.Header.Set(TenantHeader, s.Tenant)
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", s.Name, err)
	}
	defer response.Body.Close() //nolint:errcheck // already read
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the response of %s: %w", s.Name, err)
	case response.StatusCode != http.StatusOK:
		return body, fmt.Errorf("request %s of %s: %w: %s: %s", path, s.Name, errStatus, response.Status, body)
	}
	return body, nil
}

// API requests a path below /api/v1 of the Prometheus API and decodes the data of the
// response.
func (s *Server) API(ctx context.Context, path string, parameters url.Values, data any) error {
	body, err := s.Get(ctx, s.Prefix+"/api/v1"+path, parameters)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, &struct{ Data any }{data}); err != nil {
		return fmt.Errorf("decode the response of %s to %s: %w", s.Name, path, err)
	}
	return nil
}

// Query evaluates an expression at a time. Every series has one sample, or all samples
// of the range if the expression is a range vector such as up[1h].
func (s *Server) Query(ctx context.Context, expr string, at time.Time) ([]Series, error) {
	return s.evaluate(ctx, "/query", url.Values{"query": {expr}, "time": {timestamp(at)}})
}

// QueryRange evaluates an expression at every step of a range.
func (s *Server) QueryRange(ctx context.Context, expr string, from, to time.Time, step time.Duration) ([]Series, error) {
	return s.evaluate(ctx, "/query_range", url.Values{
		"query": {expr}, "start": {timestamp(from)}, "end": {timestamp(to)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)},
	})
}

func timestamp(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64)
}

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
		var single sample
		err := json.Unmarshal(data.Result, &single)
		return []Series{{Samples: []Sample{Sample(single)}}}, err
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
	for i, result := range all {
		series[i].Labels = result.Metric
		if result.Value != nil {
			result.Values = append(result.Values, *result.Value)
		}
		for _, v := range result.Values {
			series[i].Samples = append(series[i].Samples, Sample(v))
		}
	}
	return series, nil
}

// flush makes recently received samples visible to queries.
func (s *Server) flush(ctx context.Context) error {
	if s.Flush == "" {
		return nil
	}
	_, err := s.Get(ctx, s.Flush, nil)
	return err
}

// A sample in the format of the API: seconds since the epoch, and the value as a
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
