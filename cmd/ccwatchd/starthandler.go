package main

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// A startHandler is a log handler that drops messages below a warning until the daemon
// is ready: in a terminal they would hide the address of the page.
type startHandler struct {
	slog.Handler
	ready *atomic.Bool
}

// Enabled implements slog.Handler.
func (h startHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return (level >= slog.LevelWarn || h.ready.Load()) && h.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h startHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return startHandler{h.Handler.WithAttrs(attrs), h.ready}
}

// WithGroup implements slog.Handler.
func (h startHandler) WithGroup(name string) slog.Handler {
	return startHandler{h.Handler.WithGroup(name), h.ready}
}
