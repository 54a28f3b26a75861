package metrics

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Status is the state of the daemon for other programs: the JSON of /-/status.
type Status struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// Ready reports whether everything has been read once. Before that, Percent is the
	// share of the bytes that were read.
	Ready        bool         `json:"ready"`
	Percent      int          `json:"percent"`
	Files        int          `json:"files"`
	FilesTotal   int          `json:"files_total,omitempty"` // at the start; left out once ready
	Sessions     int          `json:"sessions"`
	Backlog      int64        `json:"backlog_bytes"`
	LastActivity time.Time    `json:"last_activity,omitzero"`
	Directories  []WatchedDir `json:"directories"`
	// Problems are conditions that make the counters incomplete or late, until they end.
	Problems  []string `json:"problems,omitempty"`
	LastError *Failure `json:"last_error,omitempty"`
	// FoldedLabels are the labels of which values were replaced by other.
	FoldedLabels  []string `json:"folded_labels,omitempty"`
	PricesUpdated string   `json:"prices_updated,omitempty"` // the date of the built-in prices
	// UnknownFormat lists the names in the transcripts read by this process that this
	// version does not know.
	UnknownFormat []transcript.UnknownItem `json:"unknown_format,omitempty"`
}

// A Failure is an error that was logged.
type Failure struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// Status returns the state of the daemon.
func (o *HandlerOptions) Status() Status {
	s := Status{
		Version: o.Version, PID: os.Getpid(), Ready: o.Ready(),
		Directories: append([]WatchedDir{}, o.WatchedDirs()...), // an empty list, not null
	}
	if o.LastError != nil {
		s.LastError = o.LastError()
	}
	if o.Unknown != nil {
		s.UnknownFormat = o.Unknown()
	}
	now := o.Summary()
	s.Problems = currentProblems(now, s.Directories)
	s.FoldedLabels, s.PricesUpdated = now.FoldedLabels, now.PricesUpdated
	if s.Ready {
		s.Percent, s.Files, s.Sessions, s.Backlog, s.LastActivity = 100, now.Files, now.Sessions, now.Backlog, now.LastActivity
		return s
	}
	p := o.Progress()
	s.Percent, s.Files, s.FilesTotal, s.Backlog = p.Percent(), p.Files, p.FilesTotal, p.BytesTotal-p.Bytes
	return s
}

// currentProblems describes everything that makes the counters incomplete or late.
func currentProblems(now Summary, dirs []WatchedDir) (all []string) {
	for _, d := range dirs {
		if d.Unreadable > 0 {
			all = append(all, fmt.Sprintf("%s in %s cannot be read: the log has the reason, and the paths with --log.level=debug",
				format.Count(d.Unreadable, "file or directory", "files or directories"), d.Path))
		}
	}
	if now.Paused {
		all = append(all, "The counters are paused because the state cannot be written: the log has the reason")
	}
	return all
}

// For returns the part of the status that the client of a request may see: all of it if
// the request arrived at a loopback address, so that it comes from this machine, or
// through a proxy on it.
func (s Status) For(r *http.Request) Status {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && at.IP.IsLoopback() {
		return s
	}
	s.Directories = slices.Clone(s.Directories)
	for i := range s.Directories {
		s.Directories[i].UnreadableDir = ""
	}
	return s
}

func (o *HandlerOptions) showStatus(w http.ResponseWriter, r *http.Request) {
	b, err := json.Marshal(o.Status().For(r))
	if err != nil {
		respond(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = terminal.JSONWriter{To: w}.Write(b) // an error means that the client has disconnected
}
