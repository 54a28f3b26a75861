package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// scrapeTimeout is the timeout of a scrape, without the time to send the response.
const scrapeTimeout = 30 * time.Second

// Handler returns a handler of scrapes, and registers its families with the registry.
// It answers 503 while the provider exposes nothing. Only the protobuf format contains
// created timestamps: in OpenMetrics text they are samples, so servers would store
// twice as many series.
func (e *Exposition) Handler(log *slog.Logger) http.Handler {
	options := promhttp.HandlerOpts{
		ErrorLog:          &errorLog{Logger: log, now: time.Now},
		ErrorHandling:     promhttp.ContinueOnError,
		Registry:          e.Registry,
		EnableOpenMetrics: true,
		// With a timeout the response is buffered, so that a slow client does not keep
		// the families from other scrapes.
		Timeout: scrapeTimeout,
	}
	promhttp.HandlerForTransactional(gathered{}, options) // registers the metrics of the handler
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		families, done, err := e.Gather()
		if families == nil && err == nil {
			done()
			// A response without the counters would make all of their series stale.
			w.Header().Set("Retry-After", "10")
			http.Error(w, "Nothing can be exposed: the state cannot be written, or ccwatchd is stopping. See its log.", http.StatusServiceUnavailable)
			return
		}
		withSameBounds(promhttp.HandlerForTransactional(gathered{families, done, err}, options)).ServeHTTP(w, r)
	})
}

// gathered is the result of one Gather.
type gathered struct {
	families []*dto.MetricFamily
	done     func()
	err      error
}

func (g gathered) Gather() ([]*dto.MetricFamily, func(), error) { return g.families, g.done, g.err }

// errorInterval is the minimum time between two logged errors of scrapes: each family
// of each scrape can have an error.
const errorInterval = time.Minute

// An errorLog logs errors of the client library, except for cancelled scrapes.
type errorLog struct {
	*slog.Logger
	now func() time.Time

	mu   sync.Mutex
	last time.Time // time of the last error
}

// Println implements promhttp.Logger.
func (l *errorLog) Println(v ...any) {
	if !slices.ContainsFunc(v, isCancelled) && l.isDue() {
		l.Error("Failed to answer a scrape in full", "err", strings.TrimSpace(fmt.Sprintln(v...)))
	}
}

func isCancelled(v any) bool {
	err, ok := v.(error)
	return ok && errors.Is(err, context.Canceled)
}

// isDue reports whether the last error was long enough ago.
func (l *errorLog) isDue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if !l.last.IsZero() && now.Sub(l.last) < errorInterval {
		return false
	}
	l.last = now
	return true
}
