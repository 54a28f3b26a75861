package server

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// status returns the state of the daemon.
func (o *Options) status() status.Status {
	s := status.Status{
		Version: o.Version, PID: os.Getpid(), User: status.CurrentUser(), Ready: o.Ready(),
		Directories: append([]status.WatchedDir{}, o.WatchedDirs()...), // an empty list, not null
		LastError:   o.LastError(), UnknownFormat: o.Unknown(),
	}
	sum := o.Summary()
	s.Problems = currentProblems(sum, s.Directories)
	s.FoldedLabels, s.PricesUpdated = sum.FoldedLabels, sum.PricesUpdated
	if o.LimitsRefused != nil {
		s.LimitsRefused = o.LimitsRefused()
	}
	if s.Ready {
		s.Percent, s.Files, s.Sessions, s.Backlog, s.LastActivity = 100, sum.Files, sum.Sessions, sum.Backlog, sum.LastActivity
		return s
	}
	p := o.Progress()
	s.Percent, s.Files, s.FilesTotal, s.Backlog = p.Percent(), p.Files, p.FilesTotal, p.BytesTotal-p.Bytes
	return s
}

// maxUnreadable is the number of sources with unreadable files that have a problem of
// their own.
const maxUnreadable = 5

// currentProblems describes everything that makes the counters incomplete or late.
func currentProblems(sum status.Summary, dirs []status.WatchedDir) (all []string) {
	more := 0
	for _, d := range dirs {
		switch {
		case d.Unreadable == 0:
		case len(all) == maxUnreadable:
			more++
		default:
			all = append(all, fmt.Sprintf("%s in %s cannot be read: the log has the reason, and the paths with --log.level=debug",
				format.Count(d.Unreadable, "file or directory", "files or directories"), d.Path))
		}
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("Files or directories in %s cannot be read either", format.Count(more, "more source", "more sources")))
	}
	if sum.Paused {
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

// An ErrorHandler is a log handler that records the last error for /-/status.
type ErrorHandler struct {
	slog.Handler
	Last *atomic.Pointer[status.Failure]
}

// Handle implements slog.Handler.
func (h ErrorHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "err" {
				text += ": " + a.Value.String()
			}
			return true
		})
		h.Last.Store(&status.Failure{Time: r.Time, Text: text})
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h ErrorHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return ErrorHandler{h.Handler.WithAttrs(attrs), h.Last}
}

// WithGroup implements slog.Handler.
func (h ErrorHandler) WithGroup(name string) slog.Handler {
	return ErrorHandler{h.Handler.WithGroup(name), h.Last}
}
