// Package api answers requests for counts of the past over HTTP.
//
// The endpoints are documented in docs/api.md. They have the access rules of /metrics,
// which package server applies.
package api

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
)

// Options configure a Handler.
type Options struct {
	usage.Source

	Version string // of the program
}

// Handler serves
//
//	/api/v1/usage     sums by period and label
//	/api/v1/sessions  the most recently active sessions and their totals
//	/api/v1/explain   what made usage expensive
//	/api/v1/history   the increases of all series, as JSON lines
//	/api/v1/today     the cost of today, without waiting for it
//	/api/v1/limits    how full the usage limits are, and the block of five hours
//
// It answers 503 while nothing may be exposed, and all but sessions and limits also if
// the history is off.
func Handler(o Options) http.Handler {
	o.SetDefaults()
	s := &server{Options: o, computing: make(slots, atOnce), sending: make(slots, atOnce), reading: make(slots, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+UsagePath, s.usage)
	mux.HandleFunc("GET "+SessionsPath, s.sessions)
	mux.HandleFunc("GET "+ExplainPath, s.explain)
	mux.HandleFunc("GET "+HistoryPath, s.history)
	mux.HandleFunc("GET "+limits.Path, s.limits)
	mux.HandleFunc("GET "+TodayPath, (&todayCache{server: s, days: make(map[int64]*todayCost)}).answer)
	return mux
}

// A server answers requests.
type server struct {
	Options

	computing slots // responses
	sending   slots // histories
	reading   slots // transcripts
}

// answer sends the JSON that a function writes. A function that returns false must have
// answered the request itself. It is not called if the client has disconnected.
func (s *server) answer(w http.ResponseWriter, r *http.Request, write func(io.Writer) bool) {
	if !s.computing.begin(r.Context()) {
		return
	}
	var to response
	ok := func() bool {
		defer s.computing.end() // also after a panic
		defer to.close()
		return write(terminal.JSONWriter{To: &to})
	}()
	if ok {
		w.Header().Set("Content-Type", "application/json")
		to.sendTo(newPartWriter(w))
	}
}

// parsed parses the parameters of a request with a function. If they are invalid, it
// answers the request and returns false.
func parsed[T any](w http.ResponseWriter, r *http.Request, parse func(url.Values) (T, error)) (q T, ok bool) {
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		q, err = parse(parameters)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
	}
	return q, err == nil
}

// recorded returns the history. If there is none, it answers the request and returns
// false.
func (o *Options) recorded(w http.ResponseWriter) (counters.History, bool) {
	h, ok := o.History()
	switch {
	case !ok:
		unavailable(w)
		return h, false
	case h.Off:
		fail(w, http.StatusServiceUnavailable, "no history is recorded: remove \"history: off\" from the configuration")
		return h, false
	}
	return h, true
}

// unavailable answers that nothing may be exposed.
func unavailable(w http.ResponseWriter) { tryLater(w, errStopping.Error()) }

var errStopping = errors.New("ccwatchd is stopping")

// tryLater answers that the same request may succeed in ten seconds.
func tryLater(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "10")
	fail(w, http.StatusServiceUnavailable, why)
}

// sourceLabels returns the labels of a source that are not empty.
func sourceLabels(s counters.SourceLabels) map[string]string {
	labels := s.Labels()
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	return labels
}

// writeTimeout is the time that a client has to read each part of a response. A whole
// response may take longer than the responses of other endpoints.
const writeTimeout = time.Minute

// A partWriter writes a long response. A client that stops reading is disconnected.
type partWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newPartWriter(w http.ResponseWriter) *partWriter {
	return &partWriter{w, http.NewResponseController(w)}
}

// Write implements io.Writer.
func (w *partWriter) Write(b []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported by every recorder of tests
	return w.ResponseWriter.Write(b)
}

// A failure is the body of a response with an error.
type failure struct {
	Error string `json:"error"`
}

// fail answers with an error as JSON. A write error means that the client has
// disconnected.
func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(terminal.JSONWriter{To: w}).Encode(failure{text}) //nolint:errchkjson // see above
}
