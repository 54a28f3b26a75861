package main

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ccwatchd/ccwatchd/metrics"
)

// An errorHandler is a log handler that records the last error for /-/status.
type errorHandler struct {
	slog.Handler
	last *atomic.Pointer[metrics.Failure]
}

// Handle implements slog.Handler.
func (h errorHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "err" {
				text += ": " + a.Value.String()
			}
			return true
		})
		h.last.Store(&metrics.Failure{Time: r.Time, Text: text})
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h errorHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return errorHandler{h.Handler.WithAttrs(attrs), h.last}
}

// WithGroup implements slog.Handler.
func (h errorHandler) WithGroup(name string) slog.Handler {
	return errorHandler{h.Handler.WithGroup(name), h.last}
}
