package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ccwatchd/ccwatchd/checkpoint"
)

// uninstall stops the service and removes it.
func (s *services) uninstall(ctx context.Context, purge bool) error {
	m, f, err := s.found()
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
	s.tidy(ctx)
	if !f.installed {
		s.say("The %s is not installed.", s.place.name)
	} else {
		s.say("The %s is stopped and removed.", s.place.name)
	}
	if !purge {
		s.say("What it has counted is still in %s; --purge removes that too.", state)
		return nil
	}
	if err := checkpoint.Remove(s.root + state); err != nil {
		return err
	}
	if s.place.config != "" && s.run(ctx, "", "userdel", serviceUser) != nil {
		_ = s.run(ctx, "", "deluser", serviceUser) // no harm if it stays
	}
	s.say("What it had counted in %s is removed.", state)
	return nil
}

// remove takes away the service and what is left of one that could not be
// installed as a whole: an empty unit would be in the way of the next.
func (s *services) remove(m manager) {
	_ = m.Stop()
	_ = m.Uninstall()
	if s.place.unit != "" {
		_ = os.Remove(s.root + s.place.unit)
	}
}
