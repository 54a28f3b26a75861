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

var (
	errPackaged   = errors.New("a package has installed this service already: start it, or remove the package first")
	errFixedState = errors.New("the system service can write to one state directory only: leave out --state.dir")
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
	before := s.find(m)
	if before.packaged {
		return fmt.Errorf("%w: %s", errPackaged, before.unit)
	}
	address := (*s.ListenAddresses)[0]
	if !s.listensOn(before, address) {
		if err := checkFree(ctx, address); err != nil {
			return err
		}
	}
	if err := s.prepare(ctx, program); err != nil {
		return err
	}
	s.remove(m)
	s.printf("Installing the %s", s.paths.name)
	if err := m.Install(); err != nil {
		s.remove(m)
		return fmt.Errorf("install the service: %w", err)
	}
	if err := s.startAndWait(ctx, m.Start, statusclient.New(statusclient.URL(address))); err != nil {
		if !before.installed {
			s.remove(m)
			s.printf("It is not installed.")
		}
		return err
	}
	s.printInstalled(address)
	return nil
}

// program returns the command line, the account and the variables of the service.
func (s *controller) program() (packaging.Program, error) {
	args, err := s.daemonArgs()
	if err != nil {
		return packaging.Program{}, err
	}
	p := packaging.Program{
		Path: s.executable, Args: args, User: s.paths.account.name, Home: s.paths.account.home, Env: s.variables(),
	}
	if s.paths.stateIsFixed && hasFlag(args, stateFlag) {
		return p, errFixedState
	}
	if s.paths.config != "" && !hasFlag(args, configFlag) {
		p.Args = append(p.Args, "--"+configFlag+"="+s.paths.config)
	}
	if s.paths.manager != systemd && !s.paths.user && !hasFlag(args, stateFlag) {
		p.Args = append(p.Args, "--"+stateFlag+"="+s.paths.state)
	}
	return p, checkProgram(s.executable, s.paths.user)
}

// variables returns the environment variables that locate the user's files, as far
// as they are set. A service does not inherit those of a shell.
func (s *controller) variables() map[string]string {
	env := make(map[string]string)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if value := s.Env(name); value != "" && s.paths.user {
			env[name] = value
		}
	}
	if s.paths.manager == windows {
		// The service runs as another user.
		env["CLAUDE_CONFIG_DIR"] = s.Env("CLAUDE_CONFIG_DIR")
		if env["CLAUDE_CONFIG_DIR"] == "" {
			env["CLAUDE_CONFIG_DIR"] = filepath.Join(s.paths.account.home, ".claude")
		}
	}
	return env
}

// checkConfig returns an error for a configuration with which the daemon would not
// start.
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

// printInstalled prints where everything is, and the next steps.
func (s *controller) printInstalled(address string) {
	s.printf("\nThe %s is installed, runs, and has read everything.\n", s.paths.name)
	s.printField("metrics", statusclient.URL(address)+"/metrics")
	s.printField("unit", s.paths.unit)
	s.printField("config", s.paths.config)
	s.printField("state", s.stateDir())
	s.printField("log", s.paths.log)
	if s.paths.manager == systemd && s.paths.user && !s.lingers() {
		s.printf("\nIt runs while %s is logged in. To have it run always:\n\n  loginctl enable-linger", s.paths.account.name)
	}
	s.printf("\nTo have Prometheus scrape it, add to its configuration:\n\n%s", packaging.ScrapeConfig(statusclient.Target(address)))
}

// lingers reports whether the user's services run without a login.
func (s *controller) lingers() bool {
	_, err := os.Stat(filepath.Join(s.root, "/var/lib/systemd/linger", s.paths.account.name))
	return err == nil
}
