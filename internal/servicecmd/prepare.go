package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// serviceUser is the user as which a service of the system runs where that can
// be given the right to read what others own.
const serviceUser = "ccwatchd"

// prepare makes what the service of the system needs beside its unit.
func (s *services) prepare(ctx context.Context, p packaging.Program) error {
	if s.place.by == freeBSD {
		if err := s.run(ctx, "", "sysrc", "ccwatchd_enable=YES"); err != nil {
			return fmt.Errorf("enable the service: %w", err)
		}
	}
	if s.place.config == "" {
		return nil
	}
	if err := s.makeUser(ctx); err != nil {
		return fmt.Errorf("make the user %s: %w", serviceUser, err)
	}
	if argOf(p.Args, "config.file") != s.place.config {
		return nil
	}
	return s.makeConfig()
}

// makeUser makes the user of the service, in one of the ways that systems have.
func (s *services) makeUser(ctx context.Context) error {
	if s.run(ctx, "", "id", "-u", serviceUser) == nil {
		return nil
	}
	if s.run(ctx, packaging.Read(packaging.Sysusers), "systemd-sysusers", "-") == nil {
		return nil
	}
	if s.run(ctx, "", "useradd", "--system", "--user-group", "--home-dir", s.place.state, "--shell", "/sbin/nologin", serviceUser) == nil {
		return nil
	}
	_ = s.run(ctx, "", "addgroup", "-S", serviceUser) // it may be there
	return s.run(ctx, "", "adduser", "-S", "-D", "-H", "-h", s.place.state, "-s", "/sbin/nologin", "-G", serviceUser, serviceUser)
}

// makeConfig writes the configuration of the system if there is none.
func (s *services) makeConfig() error {
	path := s.root + s.place.config
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // everybody may see it
		return fmt.Errorf("make a configuration: %w", err)
	}
	if err := os.WriteFile(path, []byte(packaging.Read(packaging.SystemConfig)), 0o644); err != nil { //nolint:gosec // the same
		return fmt.Errorf("make a configuration: %w", err)
	}
	s.say("Made %s: it says whose sessions are read", s.place.config)
	return nil
}

// tidy removes what prepare has made, save the user to whom the state belongs,
// and a configuration that has been changed.
func (s *services) tidy(ctx context.Context) {
	if s.place.by == freeBSD {
		_ = s.run(ctx, "", "sysrc", "-x", "ccwatchd_enable") // no harm if it stays
	}
	path := s.root + s.place.config
	if b, err := os.ReadFile(path); s.place.config != "" && err == nil && string(b) == packaging.Read(packaging.SystemConfig) {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // if that was all
	}
}
