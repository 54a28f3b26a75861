package api

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// HistoryPath is the path of the history.
const HistoryPath = "/api/v1/history"

// A HistoryHeader is the first line of a history.
type HistoryHeader struct {
	Version string `json:"version"` // of ccwatchd
	// Time is the moment that the values describe.
	Time time.Time `json:"time"`
	// Intervals take five minutes from FineFrom on, and half an hour before.
	FineFrom time.Time `json:"fine_from"`
	// Started is when the state began. No scrape of it can be earlier.
	Started  time.Time       `json:"started"`
	Families []HistoryFamily `json:"families"`
}

// A HistoryFamily describes the series of one name.
type HistoryFamily struct {
	Name string `json:"name"`
	Type string `json:"type"` // counter, histogram or gauge
	Help string `json:"help"`
	// Divisor converts the numbers of a counter, and the sums of a histogram, to the
	// unit of the name: 1000 for milliseconds.
	Divisor uint64 `json:"divisor"`
}

// A HistorySeries lists when a series grew. For a gauge, it lists the increases that
// later decreases have not used up.
type HistorySeries struct {
	Family string            `json:"family"`
	Labels map[string]string `json:"labels"` // none is empty
	// Value is the value of a counter or the count of a histogram, Sum the sum of a
	// histogram.
	Value uint64 `json:"value"`
	Sum   uint64 `json:"sum,omitempty"`
	// Base and BaseSum are the values before the first of Increases: undated increases,
	// and increases before the requested range.
	Base    uint64 `json:"base,omitempty"`
	BaseSum uint64 `json:"base_sum,omitempty"`
	// Created is the time of the first event.
	Created time.Time `json:"created"`
	// Hidden series are new, and exposed as 0 at present.
	Hidden bool `json:"hidden,omitempty"`
	// Increases are in order.
	Increases Increases `json:"increases"`
	// Late has the Increases, or parts of them, that are dated before the start of the
	// state but were counted when scrapes were possible.
	Late Increases `json:"late,omitempty"`
}

// Increases are encoded as [start, length, value] or [start, length, value, sum], the
// times in seconds.
type Increases []counters.Increase

// MarshalJSON implements json.Marshaler.
func (all Increases) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+24*len(all)), '[')
	for n, i := range all {
		if n > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), i.Start/1000, 10)
		b = strconv.AppendInt(append(b, ','), (i.End-i.Start)/1000, 10)
		b = strconv.AppendUint(append(b, ','), i.Value, 10)
		if i.Sum != 0 {
			b = strconv.AppendUint(append(b, ','), i.Sum, 10)
		}
		b = append(b, ']')
	}
	return append(b, ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (all *Increases) UnmarshalJSON(b []byte) error {
	var rows [][4]uint64
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	*all = make(Increases, len(rows))
	for n, row := range rows {
		start, length := int64(row[0])*1000, int64(row[1])*1000
		(*all)[n] = counters.Increase{Start: start, End: start + length, Value: row[2], Sum: row[3]}
	}
	return nil
}

// NewHistory returns a ledger's history as it is sent. The series have the order of the
// families.
func NewHistory(h counters.History, version string, now time.Time) (HistoryHeader, iter.Seq[HistorySeries]) {
	return newHistory(h, version, now, allTime)
}

func newHistory(h counters.History, version string, now time.Time, within timeRange) (HistoryHeader, iter.Seq[HistorySeries]) {
	header := HistoryHeader{
		Version: version, Time: now.UTC().Truncate(time.Millisecond),
		FineFrom: millis(h.FineFrom), Started: millis(h.Birth), Families: make([]HistoryFamily, len(h.Families)),
	}
	for i, f := range h.Families {
		kind := "counter"
		switch {
		case f.Family.Type == counters.Histogram:
			kind = "histogram"
		case f.Family.Type.IsGauge():
			kind = "gauge"
		}
		header.Families[i] = HistoryFamily{f.Family.Name, kind, f.Family.Help, f.Family.Divisor()}
	}
	return header, func(yield func(HistorySeries) bool) {
		for _, f := range h.Families {
			for i := range f.Series {
				if !yield(newSeries(f.Family, &f.Series[i], within)) {
					return
				}
			}
		}
	}
}

// SeriesSince returns a series of a history as it is sent, without the increases that
// began before a time in milliseconds since the epoch.
func SeriesSince(f *counters.Family, s *counters.SeriesHistory, since int64) HistorySeries {
	return newSeries(f, s, timeRange{since, allTime.until})
}

// A timeRange is the time from since to before until, in milliseconds since the epoch.
type timeRange struct{ since, until int64 }

var allTime = timeRange{math.MinInt64, math.MaxInt64}

func newSeries(f *counters.Family, s *counters.SeriesHistory, within timeRange) HistorySeries {
	h := HistorySeries{
		Family: f.Name, Labels: sourceLabels(s.Source), Value: s.Value, Sum: s.Sum, Base: s.Value, BaseSum: s.Sum,
		Created: millis(s.Created), Hidden: s.Hidden, Increases: make(Increases, 0),
	}
	for i, name := range f.Labels {
		if s.Labels[i] != "" {
			h.Labels[name] = s.Labels[i]
		}
	}
	for _, i := range s.Increases() {
		if i.Start < within.since {
			continue
		}
		h.Base -= min(h.Base, i.Value)
		h.BaseSum -= min(h.BaseSum, i.Sum)
		if i.Start < within.until {
			h.Increases = append(h.Increases, i)
		}
	}
	for _, i := range s.Late() {
		if within.since <= i.Start && i.Start < within.until {
			h.Late = append(h.Late, i)
		}
	}
	return h
}

func millis(at int64) time.Time { return time.UnixMilli(at).UTC() }

// ExposedParameter requests the series exactly as /metrics exposes them. Without it,
// projects that are exposed as "other" appear by name.
const ExposedParameter = "exposed"

// A historyRequest holds the parameters of a request for the history.
type historyRequest struct {
	within  timeRange
	exposed bool
}

var errExposed = errors.New("expected true or false")

// parseHistory returns the parameters of a request for the history. Days are in UTC.
func parseHistory(parameters url.Values, now time.Time) (r historyRequest, err error) {
	if err := checkParameters(parameters, "since", "until", ExposedParameter); err != nil {
		return r, err
	}
	if text := parameters.Get(ExposedParameter); parameters.Has(ExposedParameter) {
		if r.exposed, err = strconv.ParseBool(text); err != nil {
			return r, fmt.Errorf("%s: %q: %w", ExposedParameter, text, errExposed)
		}
	}
	since, until, err := parseRange(parameters, now.UTC())
	r.within = timeRange{since.UnixMilli(), until.UnixMilli()}
	if until.IsZero() {
		r.within.until = allTime.until
	}
	return r, err
}

// history sends the increases that began in the range of the request.
func (s *server) history(w http.ResponseWriter, r *http.Request) {
	q, ok := parsed(w, r, func(p url.Values) (historyRequest, error) { return parseHistory(p, s.Now()) })
	if !ok {
		return
	}
	if !s.sending.begin(r.Context()) {
		return
	}
	defer s.sending.end()
	h, ok := s.recorded(w)
	if !ok {
		return
	}
	if q.exposed {
		h = h.Exposed()
	}
	now := s.Now()
	w.Header().Set("Content-Type", "application/x-ndjson")
	buffer := bufio.NewWriterSize(newPartWriter(w), 64<<10)
	out := json.NewEncoder(terminal.JSONWriter{To: buffer})
	header, series := newHistory(h, s.Version, now, q.within)
	err := out.Encode(header)
	for line := range series {
		if err != nil {
			return // the client has disconnected
		}
		err = out.Encode(line)
	}
	_ = buffer.Flush()
}
