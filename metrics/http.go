package metrics

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// HandlerOptions are what a Handler shows and does. All fields are needed
// unless said otherwise. The functions are called by several goroutines.
type HandlerOptions struct {
	// Exposition is what /metrics shows. The handler's own families, promhttp_*,
	// are registered with its registry.
	Exposition *Exposition
	Logger     *slog.Logger
	Version    string
	// Ready reports whether everything has been read once, so that numbers may
	// be shown.
	Ready func() bool
	// Progress tells how far the reading is before that.
	Progress func() Progress
	// Summary is what the landing page says after it.
	Summary func() Summary
	// Trees lists the directories that are read.
	Trees func() []WatchedDir
	// Reload puts the configuration in force as it is now. Nil refuses all
	// requests for it.
	Reload func(context.Context) error
	// Profiling says whether to serve the profiles of the process.
	Profiling bool
	// MaxScrapes is how many scrapes are answered at a time; 0 is any number.
	MaxScrapes int
	// LastError is what went wrong last, nil if nothing has. May itself be nil.
	LastError func() *Failure
	// Unknown lists what is unknown in the transcripts. May itself be nil.
	Unknown func() []transcript.UnknownItem
	// Now tells the time; nil stands for time.Now.
	Now func() time.Time
}

// A Progress says how much of what was there at the start has been read.
type Progress struct {
	Files, FilesTotal int
	Bytes, BytesTotal int64
	Left              time.Duration // estimated; 0 when there is no telling
}

// Percent is how much of the bytes has been read, from 0 to 100; 0 while it is
// not known how many there are.
func (p Progress) Percent() int {
	if p.BytesTotal <= 0 {
		return 0
	}
	return int(min(100, max(0, 100*float64(p.Bytes)/float64(p.BytesTotal))))
}

// A Summary is what there is, in a few numbers.
type Summary struct {
	Files        int       // that can be read now
	Sessions     int       // counted so far
	Backlog      int64     // bytes of files that were not read yet
	LastActivity time.Time // of the newest line; zero when there is none
}

// A WatchedDir is a directory in which transcripts are read, at any depth.
type WatchedDir struct {
	Path   string
	Labels int // number of labels that everything from it gets
}

// Handler serves
//
//	/              a page for people: what is read, and how far it is
//	/metrics       the metrics, in every format that Prometheus asks for
//	/-/healthy     200 while the process serves at all
//	/-/ready       200 once everything has been read, 503 before
//	/-/status      how the daemon fares, as JSON: a Status
//	/-/reload      reads the configuration again, on POST or PUT; 403 without Reload
//	/debug/pprof/  profiles of the process; 404 without Profiling
//
// Before everything has been read, /metrics answers 503: half of the numbers
// would look like a drop of all counters.
func Handler(o HandlerOptions) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	page := newLandingPage(&o)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", scrapes(&o))
	mux.Handle("GET /{$}", page)
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, "ccwatchd is healthy.")
	})
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) {
		if whenReady(w, &o) {
			say(w, http.StatusOK, "ccwatchd is ready.")
		}
	})
	mux.HandleFunc("GET /-/status", o.showStatus)
	mux.HandleFunc("POST /-/reload", o.reload)
	mux.HandleFunc("PUT /-/reload", o.reload)
	if o.Profiling {
		addProfiles(mux)
	}
	return secure(http.NewCrossOriginProtection().Handler(mux), page.policy())
}

// addProfiles serves what "go tool pprof" asks for. That the package registers
// itself with the mux of net/http is no matter, since nobody serves that one.
func addProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}

func (o *HandlerOptions) reload(w http.ResponseWriter, r *http.Request) {
	if o.Reload == nil {
		say(w, http.StatusForbidden, "Reloading over HTTP is not enabled: start ccwatchd with --web.enable-lifecycle, or send it SIGHUP.")
		return
	}
	if err := o.Reload(r.Context()); err != nil {
		say(w, http.StatusInternalServerError, fmt.Sprintf("Failed to reload the configuration, the old one stays in force: %v", err))
		return
	}
	say(w, http.StatusOK, "Reloaded the configuration.")
}

// whenReady reports whether everything has been read. If not, it answers the
// request with how long that will take.
func whenReady(w http.ResponseWriter, o *HandlerOptions) bool {
	if o.Ready() {
		return true
	}
	p := o.Progress()
	wait := min(max(p.Left.Round(time.Second), time.Second), time.Minute)
	w.Header().Set("Retry-After", fmt.Sprintf("%.0f", wait.Seconds()))
	say(w, http.StatusServiceUnavailable, fmt.Sprintf(
		"ccwatchd is catching up: %d of %d files, %d %% of %s read.", p.Files, p.FilesTotal, p.Percent(), size(p.BytesTotal)))
	return false
}

// secure sets the headers that keep what is served private: it is not stored,
// not taken for anything else, and not shown within another page. Those that are
// there already are what the configuration of the web server asks for.
func secure(next http.Handler, policy string) http.Handler {
	headers := map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      policy,
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "deny", // for browsers that know no policy
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

// say answers with one line of text. If the client is gone, so be it.
func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
