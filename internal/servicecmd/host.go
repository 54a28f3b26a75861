package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/kardianos/service"
)

// underServiceManager runs what serves until it ends or, where the manager of
// services is to be told and asked instead of sending signals, as on Windows,
// until the manager says so.
func underServiceManager(serves func(context.Context) error) error {
	if runtime.GOOS != "windows" || service.Interactive() {
		return serves(context.Background())
	}
	m := newManaged(serves)
	s, err := service.New(m, &service.Config{Name: "ccwatchd"})
	if err != nil {
		return fmt.Errorf("speak to the service manager: %w", err)
	}
	if err := s.Run(); err != nil {
		return fmt.Errorf("run as a service: %w", err)
	}
	return m.err
}

// A managed program is started and stopped by a manager of services.
type managed struct {
	serves func(context.Context) error
	cancel context.CancelFunc
	done   chan struct{}
	err    error // once done
}

func newManaged(serves func(context.Context) error) *managed {
	return &managed{serves: serves, done: make(chan struct{})}
}

// Start implements service.Interface: it must not wait.
func (m *managed) Start(s service.Service) error {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go func() {
		m.err = m.serves(ctx)
		close(m.done)
		if ctx.Err() == nil {
			_ = s.Stop() // it ended by itself, and the manager must know
		}
	}()
	return nil
}

// Stop implements service.Interface.
func (m *managed) Stop(service.Service) error {
	m.cancel()
	<-m.done
	return m.err
}
