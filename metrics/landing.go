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

// A landingPage is the HTML page at the root. It loads nothing else, runs no script,
// and reloads itself during catching up.
type landingPage struct {
	*HandlerOptions
	template *template.Template
}

func newLandingPage(o *HandlerOptions) *landingPage {
	functions := template.FuncMap{"size": formatSize, "number": formatNumber, "duration": formatDuration, "plural": plural}
	return &landingPage{o, template.Must(template.New("landing").Funcs(functions).Parse(landingHTML))}
}

// policy returns the Content-Security-Policy of the page, which allows only its style.
func (*landingPage) policy() string {
	sum := sha256.Sum256([]byte(landingCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// A landingView is the data of the template.
type landingView struct {
	Status

	Style    template.CSS
	Progress Progress
	Ago      time.Duration // since the last activity
}

// ServeHTTP implements http.Handler.
func (p *landingPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	view := landingView{
		Style:  template.CSS(landingCSS), //nolint:gosec // our own
		Status: p.status(),
	}
	if view.Ready {
		view.Ago = max(0, p.Now().Sub(view.LastActivity))
	} else {
		view.Progress = p.Progress()
	}
	var page bytes.Buffer
	if err := p.template.Execute(&page, view); err != nil {
		p.Logger.Error("Failed to render the landing page", "err", err)
		respond(w, http.StatusInternalServerError, "Failed to render the page.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w) // an error means that the client has disconnected
}

// formatSize formats a number of bytes with a decimal prefix.
func formatSize(n int64) string {
	const unit = 1000
	if n < unit {
		return plural(int(n), "byte", "bytes")
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

// formatNumber groups the digits of a count with narrow spaces.
func formatNumber(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// formatDuration formats a duration in its largest unit. It is never zero.
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return plural(max(1, int(d.Seconds())), "second", "seconds")
	case d < time.Hour:
		return plural(int(d.Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return plural(int(d.Hours()), "hour", "hours")
	default:
		return plural(int(d.Hours()/24), "day", "days")
	}
}

// plural returns a count with the singular or plural form of a noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return formatNumber(n) + " " + one
	}
	return formatNumber(n) + " " + many
}
