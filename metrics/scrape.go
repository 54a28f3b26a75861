package metrics

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// scrapeTimeout is how long a scrape may take, without the time for sending it.
const scrapeTimeout = 30 * time.Second

// scrapes returns the handler of /metrics. Created timestamps are in the protobuf
// format only: in the text of OpenMetrics they are samples, and servers would store
// one more series for each series.
func scrapes(o *HandlerOptions) http.Handler {
	options := promhttp.HandlerOpts{
		ErrorLog:          scrapeLog{o.Logger},
		ErrorHandling:     promhttp.ContinueOnError,
		Registry:          o.Exposition.Registry,
		EnableOpenMetrics: true,
		// With a timeout a page is complete before it is sent, so that a client that
		// is slow to read does not keep the families from other scrapes.
		Timeout: scrapeTimeout,
	}
	promhttp.HandlerForTransactional(gathered{}, options) // registers the metrics of the handler
	answer := limit(o.MaxScrapes, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		families, done, err := o.Exposition.Gather()
		if families == nil && err == nil {
			done()
			// To a server, a page without the counters would end all of their series.
			w.Header().Set("Retry-After", "10")
			respond(w, http.StatusServiceUnavailable, "Nothing can be exposed: the state cannot be written, or ccwatchd is stopping. See its log.")
			return
		}
		promhttp.HandlerForTransactional(gathered{families, done, err}, options).ServeHTTP(w, r)
	}))
	return promhttp.InstrumentMetricHandler(o.Exposition.Registry, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if whenReady(w, o) {
			answer.ServeHTTP(w, r)
		}
	}))
}

// gathered is the result of one Gather.
type gathered struct {
	families []*dto.MetricFamily
	done     func()
	err      error
}

func (g gathered) Gather() ([]*dto.MetricFamily, func(), error) { return g.families, g.done, g.err }

// limit has at most n requests be answered at a time, also by clients that are slow
// to read; 0 is any number.
func limit(n int, next http.Handler) http.Handler {
	if n <= 0 {
		return next
	}
	slots := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			respond(w, http.StatusServiceUnavailable, fmt.Sprintf("More than %d scrapes at a time, try again later.", n))
		}
	})
}

// A scrapeLog logs errors of the client library.
type scrapeLog struct{ *slog.Logger }

// Println implements promhttp.Logger.
func (l scrapeLog) Println(v ...any) {
	l.Error("Failed to answer a scrape in full", "err", strings.TrimSpace(fmt.Sprintln(v...)))
}
