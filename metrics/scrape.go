package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// scrapeTimeout is the timeout of a scrape, without the time to send the response.
const scrapeTimeout = 30 * time.Second

// A scrapeHandler answers scrapes. Requests that wait at the same time share a
// response.
type scrapeHandler struct {
	exposition *Exposition
	log        *slog.Logger
	options    promhttp.HandlerOpts
	empty      http.Handler // exposes nothing
	shared     sharedResponses

	compressors sync.Pool
}

// Handler returns a handler of scrapes, and registers its families with the registry.
// It answers 503 while the provider exposes nothing. Only the protobuf format contains
// created timestamps: in OpenMetrics text they are samples, so servers would store
// twice as many series.
func (e *Exposition) Handler(log *slog.Logger) http.Handler {
	options := promhttp.HandlerOpts{
		ErrorLog:          errorLog{log},
		ErrorHandling:     promhttp.ContinueOnError,
		Registry:          e.Registry,
		EnableOpenMetrics: true,
	}
	// The constructor registers the metrics of the handler.
	empty := promhttp.HandlerForTransactional(gathered{done: func() {}}, options)
	return &scrapeHandler{exposition: e, log: log, options: options, empty: empty}
}

// ServeHTTP implements http.Handler. The client library negotiates format and encoding.
func (h *scrapeHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	negotiated := newResponse()
	h.empty.ServeHTTP(negotiated, r)
	names := r.URL.Query()["name[]"]
	slices.Sort(names)
	key := negotiated.header.Get("Content-Type") + "\n" + strings.Join(slices.Compact(names), "\n")

	ctx, cancel := context.WithTimeout(r.Context(), scrapeTimeout)
	defer cancel()
	response := h.shared.get(ctx, key, func() *response { return h.respond(r) })
	switch {
	case response != nil:
		response.send(w, negotiated.header.Get("Content-Encoding") != "")
	case r.Context().Err() == nil:
		http.Error(w, fmt.Sprintf("Exceeded configured timeout of %v.", scrapeTimeout), http.StatusServiceUnavailable)
	}
}

// respond returns the response to a request.
func (h *scrapeHandler) respond(r *http.Request) (result *response) {
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("Panic during a scrape", "panic", p, "stack", string(debug.Stack()))
			result = newResponse()
			http.Error(result, "The scrape failed: the log has the reason.", http.StatusInternalServerError)
			result.compress(&h.compressors)
		}
	}()
	result = newResponse()
	families, done, err := h.exposition.Gather()
	if families == nil && err == nil {
		done()
		// A response without the counters would make all of their series stale.
		result.header.Set("Retry-After", "10")
		http.Error(result, "Nothing can be exposed: the state cannot be written, or ccwatchd is stopping. See its log.", http.StatusServiceUnavailable)
	} else {
		plain := r.Clone(context.WithoutCancel(r.Context()))
		plain.Header.Del("Accept-Encoding") // compressed once, for all clients
		promhttp.HandlerForTransactional(gathered{families, done, err}, h.options).ServeHTTP(result, plain)
		result.WriteHeader(http.StatusOK) // if a filter selects nothing, nothing was written
	}
	result.compress(&h.compressors)
	return result
}

// gathered is the result of one Gather.
type gathered struct {
	families []*dto.MetricFamily
	done     func()
	err      error
}

func (g gathered) Gather() ([]*dto.MetricFamily, func(), error) { return g.families, g.done, g.err }

// An errorLog logs errors of the client library.
type errorLog struct{ *slog.Logger }

// Println implements promhttp.Logger.
func (l errorLog) Println(v ...any) {
	l.Error("Failed to answer a scrape in full", "err", strings.TrimSpace(fmt.Sprintln(v...)))
}
