package limits

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// Path is the path of requests with a report.
const Path = "/api/v1/limits"

// Options configure a Handler. All are required; the functions are called from several
// goroutines.
type Options struct {
	Store *Store
	// Accepts reports whether reports are accepted.
	Accepts func() bool
	// Source returns the source of a transcript.
	Source func(path string) string
	Now    func() time.Time
}

// Handler accepts a report as the body of a POST request. It requires the content type
// of JSON, which a web page cannot send to another origin unless that allows it.
func Handler(o Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, text := o.accept(w, r); status != http.StatusNoContent {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // otherwise the client has disconnected
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// accept applies the report in a request. It returns the status of the response and the
// text of an error.
func (o *Options) accept(w http.ResponseWriter, r *http.Request) (status int, wrong string) {
	if !o.Accepts() {
		return http.StatusForbidden, `limits are not accepted: set "statusline: {accept_limits: true}" in the configuration, see docs/terminal.md`
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return http.StatusUnsupportedMediaType, "expected the content type application/json"
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxReport))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return http.StatusRequestEntityTooLarge, "the report is too long"
	} else if err != nil {
		return http.StatusBadRequest, "the report is incomplete"
	}
	report, err := ParseReport(b, o.Now())
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	o.Store.Apply(o.Source(report.Transcript), report, o.Now())
	return http.StatusNoContent, ""
}
