package metrics

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// HandlerOptions configure a Handler. All fields are required unless their comment says
// otherwise. The functions are called from several goroutines.
type HandlerOptions struct {
	// Exposition is the content of /metrics. The handler registers its own families,
	// promhttp_*, with its registry.
	Exposition *Exposition
	Logger     *slog.Logger
	Version    string
	// Ready reports whether everything has been read once, so that numbers may be
	// exposed.
	Ready func() bool
	// Progress returns the progress of catching up.
	Progress func() Progress
	// Summary returns a few numbers for the status.
	Summary func() Summary
	// WatchedDirs lists the directories that are read.
	WatchedDirs func() []WatchedDir
	// Reload applies the configuration file. If nil, reload requests are refused.
	Reload func(context.Context) error
	// MaxScrapes is the maximum number of concurrent scrapes, and of other requests
	// for counts; 0 is no limit.
	MaxScrapes int
	// API answers the requests below /api/, with the access rules of /metrics. Optional.
	API http.Handler
	// Limits accepts reports of usage limits, with the access rules of /metrics.
	// Optional.
	Limits http.Handler
	// LastError returns the last error, or nil. Optional.
	LastError func() *Failure
	// Unknown lists the unknown names in the transcripts. Optional.
	Unknown func() []transcript.UnknownItem
	// Page answers requests for / and for sessions. If nil, there is no page.
	Page Page
}

// A Page is the page at /, and those of sessions, whose requests have the path value
// "id".
type Page interface {
	http.Handler
	// Policy returns its Content-Security-Policy.
	Policy() string
}

// policyWithoutPage is the Content-Security-Policy of all responses without a page.
const policyWithoutPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A Progress is the progress of reading the files present at the start.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
	Left              time.Duration // estimated; 0 if unknown
}

// Percent returns the share of the bytes that were read, from 0 to 100. It is 0 while
// the total is unknown.
func (p Progress) Percent() int {
	if p.BytesTotal <= 0 {
		return 0
	}
	return int(min(100, max(0, 100*float64(p.Bytes)/float64(p.BytesTotal))))
}

// A Summary holds a few numbers of the daemon.
type Summary struct {
	Files        int       // transcripts present
	Sessions     int       // counted so far
	Backlog      int64     // unread bytes
	LastActivity time.Time // of the newest line; zero if there is none
	Paused       bool      // the counters are paused: the state cannot be written
	// FoldedLabels are the labels of which values were replaced by other.
	FoldedLabels  []string
	PricesUpdated string // the date of the built-in prices; empty without prices
}

// A WatchedDir is a directory in which transcripts are read, at any depth.
type WatchedDir struct {
	Path       string `json:"path"`
	Labels     int    `json:"labels"`               // number of configured labels
	Unreadable int    `json:"unreadable,omitempty"` // files and directories in it, or itself
	// SkippedLinks is the number of symbolic links in it that are not followed.
	SkippedLinks int  `json:"skipped_links,omitempty"`
	Missing      bool `json:"missing,omitempty"` // it does not exist
	// UnreadableDir is one of the directories in it that cannot be read. Only those who
	// are on this machine see it, see Status.For.
	UnreadableDir string `json:"unreadable_directory,omitempty"`
}

// Handler serves
//
//	/              the page; 404 without one
//	/session/ID    its page of a session
//	/metrics       the metrics, in every format that Prometheus supports
//	/api/          the API; 404 without one
//	/api/v1/limits accepts reports of usage limits, on POST; 404 without Limits
//	/-/healthy     200 while the process serves requests
//	/-/ready       200 once everything has been read, 503 before
//	/-/status      the state of the daemon as JSON: a Status
//	/-/reload      applies the configuration file, on POST or PUT; 403 without Reload
//
// Before everything has been read, /metrics and the API answer 503: partial numbers
// would look like a reset of all counters.
func Handler(o HandlerOptions) http.Handler {
	mux := http.NewServeMux()
	policy := policyWithoutPage
	if o.Page != nil {
		policy = o.Page.Policy()
		page := limit(o.MaxScrapes, o.Page)
		mux.Handle("GET /{$}", page)
		mux.Handle("GET /session/{id}", page)
	}
	mux.Handle("GET /metrics", scrapes(&o))
	if o.API != nil {
		mux.Handle("GET /api/", onceReady(&o, limit(o.MaxScrapes, o.API)))
	}
	if o.Limits != nil {
		mux.Handle("POST "+limits.Path, limit(o.MaxScrapes, o.Limits))
	}
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, http.StatusOK, "ccwatchd is healthy.")
	})
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) {
		if whenReady(w, &o) {
			respond(w, http.StatusOK, "ccwatchd is ready.")
		}
	})
	mux.HandleFunc("GET /-/status", o.showStatus)
	mux.HandleFunc("POST /-/reload", o.reload)
	mux.HandleFunc("PUT /-/reload", o.reload)
	return secure(http.NewCrossOriginProtection().Handler(mux), policy)
}

func (o *HandlerOptions) reload(w http.ResponseWriter, r *http.Request) {
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
func whenReady(w http.ResponseWriter, o *HandlerOptions) bool {
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
func onceReady(o *HandlerOptions, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if whenReady(w, o) {
			next.ServeHTTP(w, r)
		}
	})
}

// secure sets headers that keep responses private: no caching, no content sniffing, no
// framing. Headers from the configuration of the web server take precedence.
func secure(next http.Handler, policy string) http.Handler {
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
func respond(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
