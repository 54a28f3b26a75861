package push

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the metrics of the endpoints.
type Metrics struct {
	Samples     *prometheus.CounterVec // accepted samples, by remote_name
	Failures    *prometheus.CounterVec // failed requests, by remote_name and reason
	LastSuccess *prometheus.GaugeVec   // seconds since the epoch, by remote_name
	History     *prometheus.CounterVec // past samples after being offline, by remote_name and result
}

// A result is the value of the label result of past samples.
type result string

const (
	resultSent    result = "sent"
	resultRefused result = "refused" // also samples skipped after a refusal
)

// register initializes all series of an endpoint to zero.
func (m Metrics) register(name string) {
	m.Samples.WithLabelValues(name)
	for _, r := range reasons {
		m.Failures.WithLabelValues(name, string(r))
	}
	m.LastSuccess.WithLabelValues(name)
	for _, r := range []result{resultSent, resultRefused} {
		m.History.WithLabelValues(name, string(r))
	}
}

// unregister removes all series of an endpoint.
func (m Metrics) unregister(name string) {
	labels := prometheus.Labels{"remote_name": name}
	m.Samples.DeletePartialMatch(labels)
	m.Failures.DeletePartialMatch(labels)
	m.LastSuccess.DeletePartialMatch(labels)
	m.History.DeletePartialMatch(labels)
}

func (m Metrics) sent(name string, samples int, now time.Time) {
	m.Samples.WithLabelValues(name).Add(float64(samples))
	m.LastSuccess.WithLabelValues(name).Set(float64(now.UnixMilli()) / 1000)
}

func (m Metrics) failed(name string, r reason) {
	m.Failures.WithLabelValues(name, string(r)).Inc()
}

func (m Metrics) history(name string, r result, samples int) {
	m.History.WithLabelValues(name, string(r)).Add(float64(samples))
}
