package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ccwatchd/ccwatchd/checkpoint"
)

// uninstall stops the service and removes it, with its state if purge is set.
func (s *controller) uninstall(ctx context.Context, purge bool) error {
	m, f, err := s.installed()
	if err != nil && !errors.Is(err, errNotInstalled) {
		return err
	}
	if f.packaged {
		return fmt.Errorf("%w: %s", errPackaged, f.unit)
	}
	state := s.stateDir()
	s.remove(m)
	if s.find(m).installed {
		if err := m.Uninstall(); err != nil {
			return fmt.Errorf("remove the service: %w", err)
		}
	}
	s.cleanUp(ctx)
	if !f.installed {
		s.printf("The %s is not installed.", s.paths.name)
	} else {
		s.printf("The %s is stopped and removed.", s.paths.name)
	}
	if !purge {
		s.printf("Its counters are still in %s; --purge removes them too.", state)
		return nil
	}
	if err := checkpoint.Remove(s.root + state); err != nil {
		return err
	}
	if s.paths.config != "" && s.runProgram(ctx, "", "userdel", serviceUser) != nil {
		_ = s.runProgram(ctx, "", "deluser", serviceUser) // harmless if it stays
	}
	s.printf("The state in %s is removed.", state)
	return nil
}

// remove removes the service, and the remains of one whose installation failed: an
// empty unit would block the next installation.
func (s *controller) remove(m manager) {
	_ = m.Stop()
	_ = m.Uninstall()
	if s.paths.unit != "" {
		_ = os.Remove(s.root + s.paths.unit)
	}
}
