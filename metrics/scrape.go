package metrics

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// maxScrapes is how many scrapes are answered at a time.
	maxScrapes = 10
	// scrapeTimeout is the time after which Prometheus gives up by default.
	scrapeTimeout = 10 * time.Second
)

// scrapes returns the handler of /metrics. Created timestamps are in the
// protobuf format only: in the text of OpenMetrics they are samples, and
// servers would store a series more for each series.
func scrapes(o *HandlerOptions) http.Handler {
	handler := promhttp.HandlerFor(o.Registry, promhttp.HandlerOpts{
		Registry:            o.Registry,
		ErrorLog:            errorLog{o.Logger},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTimeout,
		EnableOpenMetrics:   true,
	})
	return promhttp.InstrumentMetricHandler(o.Registry, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !whenReady(w, o):
		case r.Method == http.MethodHead:
			// Nobody sees a number, so none is taken for seen.
			w.WriteHeader(http.StatusOK)
		default:
			// What a query for some names leaves out would be taken for seen.
			whole := r.Clone(r.Context())
			whole.URL.RawQuery = ""
			handler.ServeHTTP(w, whole)
		}
	}))
}

// An errorLog logs what goes wrong in a scrape.
type errorLog struct{ *slog.Logger }

// Println logs one error, told in several words.
func (l errorLog) Println(v ...any) {
	l.Error("Failed to answer a scrape in full", "err", strings.TrimSpace(fmt.Sprintln(v...)))
}
