package metrics

import (
	"encoding/json"
	"net/http"
	"os"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Status is how the daemon fares, for other programs: what /-/status answers
// as JSON.
type Status struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// Ready says that everything has been read once. Before that, Percent is how
	// much has.
	Ready        bool      `json:"ready"`
	Percent      int       `json:"percent"`
	Files        int       `json:"files"`
	FilesTotal   int       `json:"files_total"` // of those that were there at the start; 0 once ready
	Sessions     int       `json:"sessions"`
	Backlog      int64     `json:"backlog_bytes"`
	LastActivity time.Time `json:"last_activity,omitzero"`
	LastError    *Failure  `json:"last_error,omitempty"`
	// UnknownFormat lists what the transcripts that this process has read hold that this
	// version does not know.
	UnknownFormat []transcript.UnknownItem `json:"unknown_format,omitempty"`
}

// A Failure is something that went wrong, as it was logged.
type Failure struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// status returns how the daemon fares.
func (o *HandlerOptions) status() Status {
	s := Status{Version: o.Version, PID: os.Getpid(), Ready: o.Ready()}
	if o.LastError != nil {
		s.LastError = o.LastError()
	}
	if o.Unknown != nil {
		s.UnknownFormat = o.Unknown()
	}
	if s.Ready {
		now := o.Summary()
		s.Percent, s.Files, s.Sessions, s.Backlog, s.LastActivity = 100, now.Files, now.Sessions, now.Backlog, now.LastActivity
		return s
	}
	p := o.Progress()
	s.Percent, s.Files, s.FilesTotal, s.Backlog = p.Percent(), p.Files, p.FilesTotal, p.BytesTotal-p.Bytes
	return s
}

func (o *HandlerOptions) showStatus(w http.ResponseWriter, _ *http.Request) {
	b, err := json.Marshal(o.status())
	if err != nil {
		say(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // if the client is gone, so be it
}
