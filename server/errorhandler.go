package server

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

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
