package servicecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/packaging"
)

// install installs the service, or replaces an installed one, and waits until it is
// ready. It changes nothing if the new service cannot work.
func (s *controller) install(ctx context.Context) error {
	program, err := s.program()
	if err != nil {
		return err
	}
	if err := s.checkConfig(program.Args); err != nil {
		return err
	}
	m, err := s.newManager(s.paths, program)
	if err != nil {
		return err
	}
	before := s.inspect(m)
	address := (*s.ListenAddresses)[0]
	if runs, err := s.alreadyRuns(before, address); runs || err != nil {
		return err
	}
	if !s.listensOn(before, address) {
		if err := checkFree(ctx, address); err != nil {
			return err
		}
	}
	if s.paths.config != "" {
		if err := s.prepare(ctx, program.Args); err != nil {
			return err
		}
	}
	s.remove(m)
	s.printf("Installing the %s", s.paths.name)
	if err := m.Install(); err != nil {
		s.remove(m)
		return fmt.Errorf("install the service: %w", err)
	}
	client := statusclient.New(statusclient.URL(address))
	if err := s.startAndWait(ctx, m.Start, client); err != nil {
		if !before.installed {
			s.remove(m)
			s.printf("The %s was removed again.", s.paths.name)
		}
		return err
	}
	s.printInstalled(client.URL(), address)
	return nil
}

// checkConfig returns an error if the daemon would not start with its configuration.
func (s *controller) checkConfig(args []string) error {
	if err := web.Validate(flagValue(args, webConfigFlag)); err != nil {
		return fmt.Errorf("check --%s: %w", webConfigFlag, err)
	}
	path := flagValue(args, configFlag)
	if path != "" && path == s.paths.config {
		path = s.root + path
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil // the installation writes it
		}
	}
	_, err := config.Load(path, s.Env)
	return err
}

// printInstalled prints the locations of the service and the next steps.
func (s *controller) printInstalled(url, address string) {
	s.printf("\nThe %s is installed and running, and has read everything.\n", s.paths.name)
	s.PrintAddresses(s.out, url)
	s.printField("unit", s.paths.unit)
	s.printField("config", s.paths.config)
	s.printField("state", s.stateDir())
	s.printField("log", s.paths.log)
	if s.paths.manager == systemd && s.paths.user && !s.lingers() {
		s.printf("\nIt runs while %s is logged in. To run it always:\n\n  loginctl enable-linger", s.paths.account.name)
	}
	s.printf("\nAdd this to the configuration of Prometheus:\n\n%s", packaging.ScrapeConfig(statusclient.Target(address)))
}

// prepare creates the user and the configuration of a systemd system service.
func (s *controller) prepare(ctx context.Context, args []string) error {
	if _, err := s.runProgram(ctx, packaging.Read(packaging.Sysusers), "systemd-sysusers", "-"); err != nil {
		return fmt.Errorf("create user %s: %w", serviceUser, err)
	}
	if flagValue(args, configFlag) != s.paths.config {
		return nil
	}
	if err := s.createConfig(); err != nil {
		return fmt.Errorf("create configuration: %w", err)
	}
	return nil
}

// createConfig writes the configuration of the system service unless it exists.
func (s *controller) createConfig() error {
	path := s.root + s.paths.config
	if anyExists(path) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // not secret
		return err
	}
	if err := os.WriteFile(path, []byte(packaging.Read(packaging.SystemConfig)), 0o644); err != nil { //nolint:gosec // not secret
		return err
	}
	s.printf("Made %s, which lists the sessions to read", s.paths.config)
	return nil
}
