package servicecmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// serviceUser is the user of a system service, where that user can be given the
// right to read the files of others.
const serviceUser = "ccwatchd"

// prepare creates what a system service needs beside its unit.
func (s *controller) prepare(ctx context.Context, p packaging.Program) error {
	if s.paths.manager == freeBSD {
		if err := s.runProgram(ctx, "", "sysrc", "ccwatchd_enable=YES"); err != nil {
			return fmt.Errorf("enable the service: %w", err)
		}
	}
	if s.paths.config == "" {
		return nil
	}
	if err := s.createUser(ctx); err != nil {
		return fmt.Errorf("create user %s: %w", serviceUser, err)
	}
	if flagValue(p.Args, configFlag) != s.paths.config {
		return nil
	}
	return s.createConfig()
}

// createUser creates the user of the service with the tool that the system has.
func (s *controller) createUser(ctx context.Context) error {
	if s.runProgram(ctx, "", "id", "-u", serviceUser) == nil {
		return nil
	}
	if s.runProgram(ctx, packaging.Read(packaging.Sysusers), "systemd-sysusers", "-") == nil {
		return nil
	}
	if s.runProgram(ctx, "", "useradd", "--system", "--user-group", "--home-dir", s.paths.state, "--shell", "/sbin/nologin", serviceUser) == nil {
		return nil
	}
	_ = s.runProgram(ctx, "", "addgroup", "-S", serviceUser) // it may exist
	return s.runProgram(ctx, "", "adduser", "-S", "-D", "-H", "-h", s.paths.state, "-s", "/sbin/nologin", "-G", serviceUser, serviceUser)
}

// createConfig writes the configuration of the system service unless it exists.
func (s *controller) createConfig() error {
	path := s.root + s.paths.config
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // not secret
		return fmt.Errorf("create configuration: %w", err)
	}
	if err := os.WriteFile(path, []byte(packaging.Read(packaging.SystemConfig)), 0o644); err != nil { //nolint:gosec // not secret
		return fmt.Errorf("create configuration: %w", err)
	}
	s.printf("Made %s: it lists whose sessions are read", s.paths.config)
	return nil
}

// cleanUp removes what prepare has created, except for the user, who owns the state,
// and a configuration that was changed.
func (s *controller) cleanUp(ctx context.Context) {
	if s.paths.manager == freeBSD {
		_ = s.runProgram(ctx, "", "sysrc", "-x", "ccwatchd_enable") // harmless if it stays
	}
	path := s.root + s.paths.config
	if b, err := os.ReadFile(path); s.paths.config != "" && err == nil && string(b) == packaging.Read(packaging.SystemConfig) {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // unless it holds other files
	}
}
