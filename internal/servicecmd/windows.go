package servicecmd

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

// Host runs serve until it returns. Under the Windows service manager, which sends
// no signals, it also ends the context of serve when the manager stops the service.
func Host(serve func(context.Context) error) error {
	if !underWindowsServiceManager() {
		return serve(context.Background())
	}
	p := &program{serve: serve, done: make(chan struct{})}
	s, err := service.New(p, &service.Config{Name: "ccwatchd"})
	if err != nil {
		return fmt.Errorf("connect to the service manager: %w", err)
	}
	if err := s.Run(); err != nil {
		return fmt.Errorf("run as a service: %w", err)
	}
	return p.err
}

// A program is started and stopped by a service manager. Its zero value connects to
// the manager only.
type program struct {
	serve  func(context.Context) error
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid after done
}

// Start implements service.Interface: it must not block.
func (p *program) Start(s service.Service) error {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		p.err = p.serve(ctx)
		close(p.done)
		if ctx.Err() == nil {
			_ = s.Stop() // serve returned by itself: report that to the manager
		}
	}()
	return nil
}

// Stop implements service.Interface.
func (p *program) Stop(service.Service) error {
	p.cancel()
	<-p.done
	return p.err
}

// EventLog returns a handler that logs to the Windows event log, with the level and the
// format of the configuration. It returns nil unless the process runs as a Windows
// service: other service managers collect the output of a service.
func EventLog(c *promslog.Config) (slog.Handler, error) {
	if !underWindowsServiceManager() {
		return nil, nil
	}
	s, err := service.New(new(program), &service.Config{Name: "ccwatchd"})
	if err != nil {
		return nil, fmt.Errorf("connect to the service manager: %w", err)
	}
	events, err := s.SystemLogger(nil)
	if err != nil {
		return nil, fmt.Errorf("open the event log: %w", err)
	}
	return newEventHandler(events, c), nil
}

func underWindowsServiceManager() bool {
	return runtime.GOOS == "windows" && !service.Interactive()
}

// An eventHandler is a log handler that writes each line as one event.
type eventHandler struct {
	slog.Handler // writes to line
	events       service.Logger

	mu   *sync.Mutex
	line *bytes.Buffer
}

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
