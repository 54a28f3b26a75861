package servicecmd

import (
	"context"
	"fmt"

	"github.com/kardianos/service"
)

// Host runs serve until it returns. Under the Windows service manager, which sends
// no signals, it also ends the context of serve when the manager stops the service.
func Host(serve func(context.Context) error) error {
	if !underWindowsServiceManager() {
		return serve(context.Background())
	}
	p := newProgram(serve)
	s, err := service.New(p, &service.Config{Name: "ccwatchd"})
	if err != nil {
		return fmt.Errorf("connect to the service manager: %w", err)
	}
	if err := s.Run(); err != nil {
		return fmt.Errorf("run as a service: %w", err)
	}
	return p.err
}

// A program is started and stopped by a service manager.
type program struct {
	serve  func(context.Context) error
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid after done
}

func newProgram(serve func(context.Context) error) *program {
	return &program{serve: serve, done: make(chan struct{})}
}

// Start implements service.Interface: it must not block.
func (p *program) Start(s service.Service) error {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		p.err = p.serve(ctx)
		close(p.done)
		if ctx.Err() == nil {
			_ = s.Stop() // it ended by itself, which the manager has to know
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
