package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
)

// uninstall stops the service and removes it, with its state if purge is set.
func (s *controller) uninstall(ctx context.Context, purge bool) error {
	m, info, err := s.installed()
	if err != nil && !errors.Is(err, errNotInstalled) {
		return err
	}
	if info.packaged {
		return fmt.Errorf("%w: %s", errPackaged, info.unit)
	}
	state := s.stateDir()
	s.remove(m)
	if s.inspect(m).installed {
		if err := m.Uninstall(); err != nil {
			return fmt.Errorf("remove the service: %w", err)
		}
	}
	s.removeConfig()
	if !info.installed {
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
	if s.paths.config != "" {
		_, _ = s.runProgram(ctx, "", "userdel", serviceUser) // harmless if the user remains
	}
	s.printf("The state in %s is removed.", state)
	return nil
}

// remove removes the service, including an empty unit left by a failed installation:
// that would block the next one.
func (s *controller) remove(m manager) {
	_ = m.Stop()
	_ = m.Uninstall()
	if s.paths.unit != "" {
		_ = os.Remove(s.root + s.paths.unit)
	}
}

// removeConfig removes the configuration that prepare has created, unless it was
// changed. The user that prepare has created owns the state.
func (s *controller) removeConfig() {
	path := s.root + s.paths.config
	if b, err := os.ReadFile(path); s.paths.config != "" && err == nil && string(b) == packaging.Read(packaging.SystemConfig) {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // unless it holds other files
	}
}
