package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
	"github.com/ccwatchd/ccwatchd/usage/web"
)

// Options configure a Handler. All fields are required unless their comment says
// otherwise. The functions are called from several goroutines.
type Options struct {
	Version string
	// Instance identifies this process in all responses: see status.InstanceHeader.
	// Optional.
	Instance string
	// Exposition is the content of /metrics. The handler registers its own families,
	// promhttp_*, with its registry.
	Exposition *metrics.Exposition
	// Source has the data of the API and the page. Its logger is required.
	Source usage.Source
	// Ready reports whether everything has been read once, so that numbers may be
	// exposed.
	Ready func() bool
	// Progress returns the progress of catching up.
	Progress func() status.Progress
	// Summary returns a few numbers for the status.
	Summary func() status.Summary
	// WatchedDirs lists the directories that are read.
	WatchedDirs func() []status.WatchedDir
	// LastError returns the last error, or nil.
	LastError func() *status.Failure
	// Unknown lists the unknown names in the transcripts.
	Unknown func() []transcript.UnknownItem
	// Reload applies the configuration file. If nil, reload requests are refused.
	Reload func(context.Context) error
	// Limits accepts reports of usage limits, with the access rules of /metrics.
	// Optional.
	Limits http.Handler
	// LimitsRefused returns why reports of usage limits are refused, or nil. Optional.
	LimitsRefused func() *status.LimitRefusal
	// MaxRequests is the maximum number of concurrent scrapes, of concurrent requests to
	// the API, for the page and for pages of sessions; 0 is no limit.
	MaxRequests int
}

// A page is the page at /, the pages of lists, and the pages of sessions, whose
// requests have the path value "id".
type page interface {
	http.Handler
	// Policy returns the Content-Security-Policy of all responses.
	Policy() string
}

// Handler serves
//
//	/              the page
//	/session/ID    the page of a session
//	/sessions      the list of sessions; and the lists /projects, /models and /sources
//	/metrics       the metrics, in every format that Prometheus supports
//	/api/          the API
//	/api/v1/limits accepts reports of usage limits, on POST; 404 without Limits
//	/-/healthy     200 while the process serves requests
//	/-/ready       200 once everything has been read, 503 before
//	/-/status      the state of the daemon as JSON: a status.Status
//	/-/reload      applies the configuration file, on POST or PUT; 403 without Reload
func Handler(o Options) http.Handler {
	return o.routes(
		api.Handler(api.Options{Source: o.Source, Version: o.Version}),
		web.New(web.Options{Source: o.Source, Status: o.status, Progress: o.Progress, IsExported: o.Exposition.IsUsed}),
	)
}

func (o *Options) routes(apiHandler http.Handler, pages page) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", limit(o.MaxRequests, pages))
	mux.Handle("GET /session/{id}", limit(o.MaxRequests, pages))
	lists := limit(o.MaxRequests, pages)
	for _, name := range web.Lists() {
		mux.Handle("GET /"+name, lists)
	}
	scrapes := limitWaiting(o.MaxRequests, scrapeWait, o.Exposition.Handler(o.Source.Logger))
	mux.Handle("GET /metrics", promhttp.InstrumentMetricHandler(o.Exposition.Registry, o.onceReady(scrapes)))
	mux.Handle("GET /api/", o.onceReady(limit(o.MaxRequests, apiHandler)))
	if o.Limits != nil {
		mux.Handle("POST "+limits.Path, limit(o.MaxRequests, o.Limits))
	}
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, http.StatusOK, "ccwatchd is healthy.")
	})
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) {
		if o.whenReady(w) {
			respond(w, http.StatusOK, "ccwatchd is ready.")
		}
	})
	mux.HandleFunc("GET /-/status", o.showStatus)
	mux.HandleFunc("POST /-/reload", o.reload)
	mux.HandleFunc("PUT /-/reload", o.reload)
	return o.secure(http.NewCrossOriginProtection().Handler(mux), pages.Policy())
}

func (o *Options) reload(w http.ResponseWriter, r *http.Request) {
	if o.Reload == nil {
		respond(w, http.StatusForbidden, "Reloading over HTTP is not enabled: start ccwatchd with --web.enable-lifecycle, or send it SIGHUP.")
		return
	}
	if err := o.Reload(r.Context()); err != nil {
		respond(w, http.StatusInternalServerError, fmt.Sprintf("Failed to reload the configuration, keeping the old one: %v", err))
		return
	}
	respond(w, http.StatusOK, "Reloaded the configuration.")
}

// whenReady reports whether everything has been read. If not, it answers the request
// with the progress and the estimated time left.
func (o *Options) whenReady(w http.ResponseWriter) bool {
	if o.Ready() {
		return true
	}
	p := o.Progress()
	wait := min(max(p.Left.Round(time.Second), time.Second), time.Minute)
	w.Header().Set("Retry-After", fmt.Sprintf("%.0f", wait.Seconds()))
	respond(w, http.StatusServiceUnavailable, fmt.Sprintf(
		"ccwatchd is catching up: %d of %d files, %d %% of %s read.", p.Files, p.FilesTotal, p.Percent(), format.Size(p.BytesTotal)))
	return false
}

// onceReady returns a handler that answers only once everything has been read.
func (o *Options) onceReady(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.whenReady(w) {
			next.ServeHTTP(w, r)
		}
	})
}

// scrapeWait is how long a scrape waits while too many are in progress: longer than
// clients that do not read, shorter than the usual timeout of a scrape.
const scrapeWait = 8 * time.Second

// limit limits the number of concurrent requests, slow clients included. 0 means no
// limit.
func limit(n int, next http.Handler) http.Handler { return limitWaiting(n, 0, next) }

// limitWaiting is a limit whose further requests wait for some time.
func limitWaiting(n int, wait time.Duration, next http.Handler) http.Handler {
	if n <= 0 {
		return next
	}
	slots := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !enter(r.Context(), slots, wait) {
			w.Header().Set("Retry-After", "1")
			respond(w, http.StatusServiceUnavailable, fmt.Sprintf("More than %d concurrent requests, try again later.", n))
			return
		}
		defer func() { <-slots }()
		next.ServeHTTP(w, r)
	})
}

// enter takes a slot, and reports whether one is free in time.
func enter(ctx context.Context, slots chan struct{}, wait time.Duration) bool {
	select {
	case slots <- struct{}{}:
		return true
	default:
	}
	if wait == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// secure sets headers that keep responses private: no caching, no content sniffing, no
// framing. Headers from the configuration of the web server take precedence.
func (o *Options) secure(next http.Handler, policy string) http.Handler {
	headers := map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      policy,
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "deny", // for browsers without Content-Security-Policy support
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if o.Instance != "" {
			h.Set(status.InstanceHeader, o.Instance)
		}
		for name, value := range headers {
			if h.Get(name) == "" {
				h.Set(name, value)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// respond answers with one line of text. A write error means that the client has
// disconnected.
func respond(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text+"\n")
}
