package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// status returns the state of the daemon.
func (o *Options) status() status.Status {
	s := status.Status{
		Version: o.Version, PID: os.Getpid(), Ready: o.Ready(),
		Directories: append([]status.WatchedDir{}, o.WatchedDirs()...), // an empty list, not null
		LastError:   o.LastError(), UnknownFormat: o.Unknown(),
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
func currentProblems(now status.Summary, dirs []status.WatchedDir) (all []string) {
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

func (o *Options) showStatus(w http.ResponseWriter, r *http.Request) {
	b, err := json.Marshal(o.status().For(r))
	if err != nil {
		respond(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = terminal.JSONWriter{To: w}.Write(b) // an error means that the client has disconnected
}
