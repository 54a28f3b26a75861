package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"

	"github.com/kardianos/service"
	"github.com/prometheus/common/promslog"
)

// serviceLogger returns where a service logs: on Windows, where nobody sees what
// it writes, that is the log of events, and elsewhere log.
func (c *command) serviceLogger(log *slog.Logger) (*slog.Logger, error) {
	if runtime.GOOS != "windows" || service.Interactive() {
		return log, nil
	}
	s, err := service.New(nobody{}, &service.Config{Name: "ccwatchd"})
	if err != nil {
		return nil, fmt.Errorf("speak to the service manager: %w", err)
	}
	events, err := s.SystemLogger(nil)
	if err != nil {
		return nil, fmt.Errorf("open the log of events: %w", err)
	}
	return slog.New(rememberer{newEventHandler(events, &c.log), &c.lastError}), nil
}

// serveAsService is serve with the log of a service.
func (c *command) serveAsService(log *slog.Logger) error {
	log, err := c.serviceLogger(log)
	if err != nil {
		return err
	}
	return c.serve(catchSignals(), log)
}

// An eventHandler is a handler of the log that makes an event of every line.
type eventHandler struct {
	slog.Handler // writes to line
	events       service.Logger

	mu   *sync.Mutex
	line *bytes.Buffer
}

// newEventHandler returns one for lines as the configuration has them.
func newEventHandler(events service.Logger, c *promslog.Config) *eventHandler {
	line := new(bytes.Buffer)
	to := *c
	to.Writer = line
	return &eventHandler{Handler: promslog.New(&to).Handler(), events: events, mu: new(sync.Mutex), line: line}
}

// Handle implements slog.Handler.
func (h *eventHandler) Handle(ctx context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.line.Reset()
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	text := strings.TrimSpace(h.line.String())
	switch {
	case r.Level >= slog.LevelError:
		return h.events.Error(text)
	case r.Level >= slog.LevelWarn:
		return h.events.Warning(text)
	}
	return h.events.Info(text)
}

// WithAttrs implements slog.Handler.
func (h *eventHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.Handler = h.Handler.WithAttrs(attrs)
	return &with
}

// WithGroup implements slog.Handler.
func (h *eventHandler) WithGroup(name string) slog.Handler {
	with := *h
	with.Handler = h.Handler.WithGroup(name)
	return &with
}
