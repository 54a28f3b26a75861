package packaging

import (
	"regexp"
	"strings"
)

// A Server is a kind of server that evaluates the expressions of dashboards and rules.
type Server string

// The servers.
const (
	// PrometheusServer is any version of Prometheus and of servers with its functions,
	// such as Mimir and Thanos.
	PrometheusServer Server = "prometheus"
	// AnchoredPrometheus is Prometheus 3.16 or later, which need not extrapolate: with
	// the modifier "anchored", increase is exact.
	AnchoredPrometheus Server = "prometheus-3.16"
	// VictoriaMetrics has a function increase that can take the first value of a series,
	// such as the whole past, for an increase.
	VictoriaMetrics Server = "victoriametrics"
)

// Servers returns the names of all servers, the default first.
func Servers() []string {
	return []string{string(PrometheusServer), string(AnchoredPrometheus), string(VictoriaMetrics)}
}

// increase matches a call of increase up to its range. Matchers of labels can be quoted
// for JSON.
var increase = regexp.MustCompile(`\bincrease\(\s*[\w:]*(\{([^{}]|\$\{\w+(:\w+)?\})*\})?\[[^\]]+\]`)

// ReadFor returns the content of a file of Monitoring with expressions for a server.
func ReadFor(s Server, name string) string {
	text := Read(name)
	switch s {
	case AnchoredPrometheus:
		return increase.ReplaceAllString(text, "$0 anchored")
	case VictoriaMetrics:
		return strings.ReplaceAll(text, "increase(", "increase_prometheus(")
	default:
		return text
	}
}
