package push

import (
	"iter"
	"maps"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
)

// A Past is the samples of one time series in an interval of the past.
type Past struct {
	Name   string
	Labels map[string]string // take precedence over the endpoint's labels, which are not included
	Family *dto.MetricFamily // with help and type
	// UpTo calls add with each next sample before a time, in order. Times are in
	// milliseconds since the epoch.
	UpTo func(limit int64, add func(at int64, value float64))

	// The rest is only needed to continue a series that the server may have.

	// Created is the created timestamp in milliseconds since the epoch, 0 if unknown.
	Created int64
	// Hidden series are gathered as 0 at present, and have no samples yet.
	Hidden bool
	// Begin is the beginning of the first increase in the interval.
	Begin int64
	// Before is the value before Begin, and Last the present value.
	Before, Last float64
}

// labels returns the labels of the series at an endpoint.
func (p *Past) labels(external map[string]string) labels {
	all := make(map[string]string)
	maps.Copy(all, external)
	maps.Copy(all, p.Labels)
	all[model.MetricNameLabel] = p.Name
	return labels(appendLabels(nil, sortedLabels(all)))
}

// A replay sends a past to a server.
type replay struct {
	*series
	past *Past
	zero int64 // time of the initial zero, if earlier than the samples of the past
}

// fill sets the next samples of the series before a time, and reports whether there are
// any. It omits samples that the server has. A series that the server does not have
// begins at zero.
func (r *replay) fill(limit int64) bool {
	r.samples = r.samples[:0]
	add := func(at int64, value float64) {
		if n := len(r.samples); at <= r.newest || n > 0 && at <= r.samples[n-1].at {
			return
		}
		if !r.started && len(r.samples) == 0 {
			value = 0
		}
		r.value, r.samples = value, append(r.samples, sample{value, at})
	}
	if r.zero > 0 {
		add(r.zero, 0)
		r.zero = 0
	}
	r.past.UpTo(limit, add)
	return len(r.samples) > 0
}

// inOrder visits the samples between two times in the order of time: in each window,
// which includes the millisecond after its end, it fills the series that have samples.
func inOrder(replays []*replay, from, until, window int64) iter.Seq2[int64, []*series] {
	return func(yield func(end int64, all []*series) bool) {
		var all []*series
		for end := from - from%window + window; end-window < until; end += window {
			all = all[:0]
			for _, r := range replays {
				if r.fill(end + 2) {
					all = append(all, r.series)
				}
			}
			if len(all) > 0 && !yield(end, all) {
				return
			}
		}
	}
}

// batches splits series into requests of at most maxSamples, or of a single series.
func batches(all []*series) iter.Seq[[]*series] {
	return func(yield func([]*series) bool) {
		for len(all) > 0 {
			n, samples := 1, len(all[0].samples)
			for n < len(all) && samples+len(all[n].samples) <= maxSamples {
				samples += len(all[n].samples)
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}
