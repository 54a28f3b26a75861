package metrics

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

var (
	//go:embed landing.html
	landingHTML string
	//go:embed landing.css
	landingCSS string
)

// A landingPage is the page for people. It needs nothing from elsewhere, runs
// no script, and reloads itself while there is progress to be seen.
type landingPage struct {
	*HandlerOptions
	template *template.Template
}

func newLandingPage(o *HandlerOptions) *landingPage {
	functions := template.FuncMap{"size": size, "number": number, "about": about, "plural": plural}
	return &landingPage{o, template.Must(template.New("landing").Funcs(functions).Parse(landingHTML))}
}

// policy allows the page its style and nothing else.
func (*landingPage) policy() string {
	sum := sha256.Sum256([]byte(landingCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// A landingView is what the page shows.
type landingView struct {
	Style    template.CSS
	Version  string
	Ready    bool
	Progress Progress
	Summary  Summary
	Ago      time.Duration // since the last activity
	Trees    []WatchedDir
}

// ServeHTTP shows the page.
func (p *landingPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	view := landingView{
		Style:   template.CSS(landingCSS), //nolint:gosec // our own
		Version: p.Version, Ready: p.Ready(), Trees: p.Trees(),
	}
	if view.Ready {
		view.Summary = p.Summary()
		view.Ago = max(0, p.Now().Sub(view.Summary.LastActivity))
	} else {
		view.Progress = p.Progress()
	}
	var page bytes.Buffer
	if err := p.template.Execute(&page, view); err != nil {
		p.Logger.Error("Failed to make the landing page", "err", err)
		say(w, http.StatusInternalServerError, "The page could not be made.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w) // if the client is gone, so be it
}

// size tells a number of bytes to people.
func size(n int64) string {
	const unit = 1000
	if n < unit {
		return plural(int(n), "byte")
	}
	value, prefix := float64(n)/unit, 0
	for value >= 999.5 && prefix < 3 {
		value, prefix = value/unit, prefix+1
	}
	digits := 0
	if value < 9.95 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %cB", digits, value, "kMGT"[prefix])
}

// number tells a count to people.
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// about tells a duration to people, in its largest unit and never as nothing.
func about(d time.Duration) string {
	switch {
	case d < time.Minute:
		return plural(max(1, int(d.Seconds())), "second")
	case d < time.Hour:
		return plural(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return plural(int(d.Hours()), "hour")
	default:
		return plural(int(d.Hours()/24), "day")
	}
}

// plural puts a count before the name of what was counted.
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return number(n) + " " + what
}
