package push

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are how the endpoints fare.
type Metrics struct {
	Samples     *prometheus.CounterVec // that have arrived, by name
	Failures    *prometheus.CounterVec // of requests, by name and reason
	LastSuccess *prometheus.GaugeVec   // seconds since the epoch, by name
}

// begin has all series of an endpoint stand at zero.
func (m Metrics) begin(name string) {
	m.Samples.WithLabelValues(name)
	for _, r := range reasons {
		m.Failures.WithLabelValues(name, string(r))
	}
	m.LastSuccess.WithLabelValues(name)
}

// end removes them.
func (m Metrics) end(name string) {
	of := prometheus.Labels{"remote_name": name}
	m.Samples.DeletePartialMatch(of)
	m.Failures.DeletePartialMatch(of)
	m.LastSuccess.DeletePartialMatch(of)
}

func (m Metrics) sent(name string, samples int, now time.Time) {
	m.Samples.WithLabelValues(name).Add(float64(samples))
	m.LastSuccess.WithLabelValues(name).Set(float64(now.UnixMilli()) / 1000)
}

func (m Metrics) failed(name string, r reason) {
	m.Failures.WithLabelValues(name, string(r)).Inc()
}
