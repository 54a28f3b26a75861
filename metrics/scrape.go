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

// scrapes returns the handler of /metrics. Only the protobuf format contains created
// timestamps: in OpenMetrics text they are samples, which servers would store as
// another series for each series.
func scrapes(o *HandlerOptions) http.Handler {
	options := promhttp.HandlerOpts{
		ErrorLog:          &errorLog{Logger: o.Logger, now: time.Now},
		ErrorHandling:     promhttp.ContinueOnError,
		Registry:          o.Exposition.Registry,
		EnableOpenMetrics: true,
		// With a timeout the response is buffered, so that a slow client does not keep
		// the families from other scrapes.
		Timeout: scrapeTimeout,
	}
	promhttp.HandlerForTransactional(gathered{}, options) // registers the metrics of the handler
	answer := limit(o.MaxScrapes, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		families, done, err := o.Exposition.Gather()
		if families == nil && err == nil {
			done()
			// A response without the counters would make all of their series stale.
			w.Header().Set("Retry-After", "10")
			respond(w, http.StatusServiceUnavailable,
				"Nothing can be exposed: the state cannot be written, or ccwatchd is stopping. See its log.")
			return
		}
		withSameBounds(promhttp.HandlerForTransactional(gathered{families, done, err}, options)).ServeHTTP(w, r)
	}))
	return promhttp.InstrumentMetricHandler(o.Exposition.Registry, onceReady(o, answer))
}

// gathered is the result of one Gather.
type gathered struct {
	families []*dto.MetricFamily
	done     func()
	err      error
}

func (g gathered) Gather() ([]*dto.MetricFamily, func(), error) { return g.families, g.done, g.err }

// limit limits the number of concurrent requests, including those of slow clients. 0
// means no limit.
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
			respond(w, http.StatusServiceUnavailable, fmt.Sprintf("More than %d concurrent requests, try again later.", n))
		}
	})
}

// errorInterval is the shortest time between two errors of scrapes in the log: each
// family of each scrape can have one.
const errorInterval = time.Minute

// An errorLog logs errors of the client library, except for those of scrapes that the
// client has cancelled.
type errorLog struct {
	*slog.Logger
	now func() time.Time

	mu   sync.Mutex
	last time.Time // of the last error
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
