package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/usage"
)

// Options configure a Page. Status and Progress are required; see
// [usage.Source] for the other fields.
type Options struct {
	usage.Source

	// Status returns the state of the daemon.
	Status func() status.Status
	// Progress returns the progress of catching up.
	Progress func() status.Progress
	// IsExported reports whether a server such as Prometheus receives the counters; nil is
	// false.
	IsExported func() bool
}

var (
	//go:embed templates
	templates embed.FS
	//go:embed page.css
	style string
	// compactStyle is the style without most spaces.
	compactStyle = template.CSS(strings.NewReplacer(" { ", "{", "; ", ";", ": ", ":", ", ", ",", " }", "}", "\n  ", "\n").Replace(style)) //nolint:gosec // our own
)

// A Page is the page at /, with the pages of sessions and of lists.
type Page struct {
	Options

	template *template.Template
	// working contains an element while a request computes its page: each copies the
	// record, so there is one at a time.
	working chan struct{}
	reading chan struct{} // held while the transcripts of a session are read
}

// New returns a page.
func New(o Options) *Page {
	o.SetDefaults()
	if o.IsExported == nil {
		o.IsExported = func() bool { return false }
	}
	functions := template.FuncMap{
		"count": format.Count[int], "duration": format.Duration, "name": shown, "number": format.Number[int],
		"percent": format.Percent, "short": func(n uint64) string { return format.Short(float64(n)) }, "size": format.Size[int64],
		"usd": format.USD, "visible": visible, "docs": func(page string) string { return documents + page },
	}
	parsed := template.Must(template.New("").Funcs(functions).ParseFS(templates, "templates/*.html"))
	return &Page{o, parsed, make(chan struct{}, 1), make(chan struct{}, 1)}
}

// documents is where the documentation is.
const documents = "https://github.com/ccwatchd/ccwatchd/blob/main/docs/"

// Policy returns the Content-Security-Policy of the page, which allows only its style
// and its icon, a data: URL.
func (*Page) Policy() string {
	sum := sha256.Sum256([]byte(compactStyle))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// A frame is the part of the page that does not depend on the selection.
type frame struct {
	status.Status

	Style    template.CSS
	Progress status.Progress
	Ago      time.Duration // since the last activity
	Problems []problem
	Usage    *content // nil before the counters may be shown
	Mistake  *mistake // in the URL; nil if there is none
	Exported bool     // see Options.IsExported
}

// shownDirectories is the number of directories that are listed at first.
const shownDirectories = 8

// FirstDirectories returns the directories that are listed at first.
func (f *frame) FirstDirectories() []status.WatchedDir {
	return f.Directories[:min(len(f.Directories), shownDirectories)]
}

// MoreDirectories returns the directories that are listed when they are opened.
func (f *frame) MoreDirectories() []status.WatchedDir {
	return f.Directories[len(f.FirstDirectories()):]
}

// ServeHTTP implements http.Handler. It answers with status 400 and a page that lists
// the possible values if the URL selects something unknown.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id := r.PathValue("id"); id != "" {
		p.serveSession(w, r, id)
		return
	}
	if listTitles[path.Base(r.URL.Path)] != "" {
		p.serveList(w, r)
		return
	}
	page, f, code, err := p.render(r)
	switch {
	case r.Context().Err() != nil:
		return // the client has disconnected
	case err != nil:
		p.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if after := f.reload(); after > 0 {
		w.Header().Set("Refresh", strconv.Itoa(int(after.Seconds())))
	}
	w.WriteHeader(code)
	_, _ = page.WriteTo(w) // an error means that the client has disconnected
}

// write answers a request with a page.
func (p *Page) write(w http.ResponseWriter, name string, page any, code int) {
	var b bytes.Buffer
	if err := p.template.ExecuteTemplate(&b, name, page); err != nil {
		p.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = b.WriteTo(w) // an error means that the client has disconnected
}

// fail answers a request whose page could not be rendered.
func (p *Page) fail(w http.ResponseWriter, err error) {
	p.Logger.Error("Failed to render the page", "err", err)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, "Failed to render the page: the log has the reason.\n")
}

// reload returns the interval of automatic reloads; 0 for never.
func (f *frame) reload() time.Duration {
	switch {
	case !f.Ready:
		return 2 * time.Second
	case f.Usage != nil && f.Usage.Reloads:
		return time.Minute
	}
	return 0
}

func (p *Page) render(r *http.Request) (page *bytes.Buffer, f *frame, code int, err error) {
	if err := p.begin(r.Context()); err != nil {
		return nil, nil, 0, err
	}
	defer func() { <-p.working }()
	f, code, err = p.frame(r)
	if err != nil {
		return nil, nil, 0, err
	}
	page = new(bytes.Buffer)
	return page, f, code, p.template.ExecuteTemplate(page, "page.html", f)
}

// begin waits until no other request is being computed.
func (p *Page) begin(ctx context.Context) error {
	select {
	case p.working <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// frame returns the data of the template, and the status of the response.
func (p *Page) frame(r *http.Request) (f *frame, code int, err error) {
	now := p.Now().In(p.Location())
	f = &frame{Status: p.Status().For(r), Style: compactStyle, Exported: p.IsExported()}
	code, err = p.addUsage(f, r.URL.RawQuery, now)
	f.Problems = f.problems(now)
	return f, code, err
}

// addUsage adds the usage that the query of a URL selects, or the progress before the
// daemon is ready. It returns the status of the response.
func (p *Page) addUsage(f *frame, query string, now time.Time) (code int, err error) {
	if !f.Ready {
		f.Progress = p.Progress()
		return http.StatusOK, nil
	}
	f.Ago = max(0, now.Sub(f.LastActivity))
	h, ok := p.History()
	if !ok { // the daemon is stopping
		return http.StatusServiceUnavailable, nil
	}
	f.Usage, f.Mistake, err = newContent(&h, &p.Source, query, now)
	if f.Mistake != nil {
		return http.StatusBadRequest, err
	}
	return http.StatusOK, err
}
