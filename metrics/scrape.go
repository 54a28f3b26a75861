package metrics

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrapeTimeout is how long a scrape may take, without the time for sending it.
const scrapeTimeout = 30 * time.Second

// scrapes returns the handler of /metrics. Created timestamps are in the protobuf
// format only: in the text of OpenMetrics they are samples, and servers would store
// one more series for each series.
func scrapes(o *HandlerOptions) http.Handler {
	answer := promhttp.HandlerForTransactional(o.Exposition, promhttp.HandlerOpts{
		ErrorLog:          scrapeLog{o.Logger},
		ErrorHandling:     promhttp.ContinueOnError,
		Registry:          o.Exposition.Registry,
		EnableOpenMetrics: true,
		// With a timeout a page is complete before it is sent, so that a client that
		// is slow to read does not keep the families from other scrapes.
		Timeout: scrapeTimeout,
	})
	limited := limit(o.MaxScrapes, answer)
	return promhttp.InstrumentMetricHandler(o.Exposition.Registry, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if whenReady(w, o) {
			limited.ServeHTTP(w, r)
		}
	}))
}

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
			say(w, http.StatusServiceUnavailable, fmt.Sprintf("More than %d scrapes at a time, try again later.", n))
		}
	})
}

// A scrapeLog logs errors of the client library.
type scrapeLog struct{ *slog.Logger }

// Println implements promhttp.Logger.
func (l scrapeLog) Println(v ...any) {
	l.Error("Failed to answer a scrape in full", "err", strings.TrimSpace(fmt.Sprintln(v...)))
}
