package main

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/ccwatchd/ccwatchd/metrics"
)

// A rememberer is a handler of the log that remembers the last error in it.
type rememberer struct {
	slog.Handler
	last *atomic.Pointer[metrics.Failure]
}

// Handle implements slog.Handler.
func (h rememberer) Handle(ctx context.Context, r slog.Record) error {
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
func (h rememberer) WithAttrs(attrs []slog.Attr) slog.Handler {
	return rememberer{h.Handler.WithAttrs(attrs), h.last}
}

// WithGroup implements slog.Handler.
func (h rememberer) WithGroup(name string) slog.Handler {
	return rememberer{h.Handler.WithGroup(name), h.last}
}
