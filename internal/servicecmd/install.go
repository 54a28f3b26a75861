package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/packaging"
)

var (
	errPackaged = errors.New("a package has installed this service already; start it, or remove the package first")
	errFixed    = errors.New("the service of the system writes to one directory only; leave out --state.dir")
	errSilent   = errors.New("it does not answer")
)

// install installs the service, or another in its place, and waits until it is
// ready. Nothing has changed if what it would run cannot work.
func (s *services) install(ctx context.Context) error {
	program, err := s.program()
	if err != nil {
		return err
	}
	if err := s.check(program.Args); err != nil {
		return err
	}
	m, err := s.manage(s.place, program)
	if err != nil {
		return err
	}
	before := s.find(m)
	if before.packaged {
		return fmt.Errorf("%w: %s", errPackaged, before.unit)
	}
	address := (*s.c.web.WebListenAddresses)[0]
	if !before.listens(address) {
		if err := checkFree(ctx, address); err != nil {
			return err
		}
	}
	if err := s.prepare(ctx, program); err != nil {
		return err
	}
	s.remove(m)
	s.say("Installing the %s", s.place.name)
	if err := m.Install(); err != nil {
		s.remove(m)
		return fmt.Errorf("install the service: %w", err)
	}
	if err := s.startAndWait(ctx, m.Start, newAsker(urlOf(address))); err != nil {
		if !before.installed {
			s.remove(m)
			s.say("It is not installed.")
		}
		return err
	}
	s.installed(address)
	return nil
}

// program is what the service will run.
func (s *services) program() (packaging.Program, error) {
	args, err := s.c.serviceArgs(s.given)
	if err != nil {
		return packaging.Program{}, err
	}
	p := packaging.Program{Path: s.self, Args: args, User: s.place.whose.name, Home: s.place.whose.home, Env: s.env()}
	if s.place.fixed && given(args, "state.dir") {
		return p, errFixed
	}
	if s.place.config != "" && !given(args, "config.file") {
		p.Args = append(p.Args, "--config.file="+s.place.config)
	}
	if s.place.by != systemd && !s.place.user && !given(args, "state.dir") {
		p.Args = append(p.Args, "--state.dir="+s.place.state)
	}
	return p, checkProgram(s.self, s.place.user)
}

// env are the variables that say where a user has things, as far as they are
// set: services do not hear of what shells are told.
func (s *services) env() map[string]string {
	env := make(map[string]string)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if value := s.c.env(name); value != "" && s.place.user {
			env[name] = value
		}
	}
	if s.place.by == windows {
		// It runs as another user.
		env["CLAUDE_CONFIG_DIR"] = s.c.env("CLAUDE_CONFIG_DIR")
		if env["CLAUDE_CONFIG_DIR"] == "" {
			env["CLAUDE_CONFIG_DIR"] = filepath.Join(s.place.whose.home, ".claude")
		}
	}
	return env
}

// check complains of a configuration with which the daemon would not start.
func (s *services) check(args []string) error {
	if err := web.Validate(argOf(args, "web.config.file")); err != nil {
		return fmt.Errorf("check --web.config.file: %w", err)
	}
	path := argOf(args, "config.file")
	if path != "" && path == s.place.config {
		path = s.root + path
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil // it will be made
		}
	}
	_, err := config.Load(path, s.c.env)
	return err
}

// checkFree complains of an address at which somebody else listens: that would
// be taken for the new service.
func checkFree(ctx context.Context, address string) error {
	if strings.Contains(address, "://") {
		return nil // of another network, where nothing can be asked
	}
	var of net.ListenConfig
	l, err := of.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%w; --web.listen-address takes another address", err)
	}
	return l.Close()
}

// startAndWait starts the service and waits until it has read everything, for
// as long as it gets on. Some managers are done with starting it only then.
func (s *services) startAndWait(ctx context.Context, start func() error, ask *asker) error {
	started := make(chan error, 1)
	go func() { started <- start() }()
	tick := time.NewTicker(s.tick)
	defer tick.Stop()
	told, heard := time.Now(), time.Now()
	for starting := true; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-started:
			if err != nil {
				return fmt.Errorf("start the service: %w; see %s", err, s.place.log)
			}
			starting, heard = false, time.Now()
			continue
		case <-tick.C:
		}
		status, err := ask.status(ctx)
		switch {
		case err == nil && status.Ready && !starting, errors.Is(err, errPassword) && !starting:
			return nil
		case err == nil:
			if heard = time.Now(); time.Since(told) > 2*time.Second && !status.Ready {
				told = heard
				s.say("Reading: %d of %d files, %d %%", status.Files, status.FilesTotal, status.Percent)
			}
		case !starting && time.Since(heard) > s.wait:
			return fmt.Errorf("wait for the service: %w at %s: %w; see %s", errSilent, ask.url, err, s.place.log)
		}
	}
}

// installed tells what there is now, and what to do with it.
func (s *services) installed(address string) {
	s.say("\nThe %s is installed, runs, and has read everything.\n", s.place.name)
	s.tell("metrics", urlOf(address)+"/metrics")
	s.tell("unit", s.place.unit)
	s.tell("config", s.place.config)
	s.tell("state", s.stateDir())
	s.tell("log", s.place.log)
	if s.place.by == systemd && s.place.user && !s.lingers() {
		s.say("\nIt runs while %s is logged in. To have it run always:\n\n  loginctl enable-linger", s.place.whose.name)
	}
	s.say("\nTo have Prometheus scrape it, add to its configuration:\n\n%s", scrapeConfig(address))
}

// scrapeConfig is what Prometheus needs for a daemon that listens on an address.
func scrapeConfig(address string) string {
	host := strings.TrimPrefix(urlOf(address), "http://")
	_, jobs, _ := strings.Cut(packaging.Read(packaging.Prometheus), "scrape_configs:\n")
	return "scrape_configs:\n" + strings.TrimRight(strings.ReplaceAll(jobs, "localhost:10229", host), "\n")
}

// lingers reports whether the services of the user run without it.
func (s *services) lingers() bool {
	_, err := os.Stat(filepath.Join(s.root, "/var/lib/systemd/linger", s.place.whose.name))
	return err == nil
}

// tell says one thing of several, unless it is nothing.
func (s *services) tell(what, value string) {
	if value != "" {
		s.say("  %-10s %s", what, value)
	}
}

func (s *services) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}
