package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/packaging"
)

const serviceHelp = `Install ccwatchd as a service, and look after that.

The service of a user, the default, reads the sessions of that user and needs no rights: it is for one's own machine. That of the system (--system, as root) starts with the machine and reads the sessions of all users whom /etc/ccwatchd/ccwatchd.yml names, as a user of its own which may read what it likes and write nothing but its state.

Examples:

  ccwatchd service install
  ccwatchd service install --web.listen-address=localhost:10230 --config.file=ccwatchd.yml
  sudo ccwatchd service install --system
  ccwatchd service status`

// A serviceCommand is the command "service" and those below it.
type serviceCommand struct {
	cmd                                              *kingpin.CmdClause
	install, uninstall, start, stop, restart, status *kingpin.CmdClause

	user, system, purge bool
}

func addService(app *kingpin.Application) *serviceCommand {
	s := &serviceCommand{cmd: app.Command("service", serviceHelp)}
	s.cmd.Flag("user", "The service of this user. The default where users have some: with systemd, and on a Mac.").BoolVar(&s.user)
	s.cmd.Flag("system", "The service of the system.").BoolVar(&s.system)
	s.install = s.cmd.Command("install", "Install the service, or update it: check the configuration, start it, and wait until it has read everything. All flags of the daemon that are given are those with which it will run.")
	s.uninstall = s.cmd.Command("uninstall", "Stop the service and remove all of it but its state.")
	s.uninstall.Flag("purge", "Remove the state too: what is still on disk would be counted anew.").BoolVar(&s.purge)
	s.start = s.cmd.Command("start", "Start the service.")
	s.stop = s.cmd.Command("stop", "Stop the service.")
	s.restart = s.cmd.Command("restart", "Stop the service and start it again.")
	s.status = s.cmd.Command("status", "Tell how the service fares. Exits with 0 if it runs, 3 if it does not, 4 if there is none, and 1 if that cannot be told.")
	return s
}

// has reports whether a command is one of these.
func (s *serviceCommand) has(chosen string) bool {
	return strings.HasPrefix(chosen, s.cmd.FullCommand()+" ")
}

var errBoth = errors.New("--user and --system exclude each other; try --help")

// services is what the service commands work with. What reaches out of the
// process is in fields, which tests replace.
type services struct {
	c      *command
	out    io.Writer
	given  []*kingpin.ParseElement // the command line
	around surroundings
	place  servicePlace
	self   string // path of the program

	manage func(servicePlace, packaging.Program) (manager, error)
	run    func(ctx context.Context, input, name string, args ...string) error
	root   string // before the paths of the place; "" but in tests
	tick   time.Duration
	wait   time.Duration // for a service that says nothing
}

// manageService carries out a service command and returns the exit code.
func (c *command) manageService(chosen string, args []string, out io.Writer) (int, error) {
	if c.service.user && c.service.system {
		return 2, errBoth
	}
	s, err := c.services(out)
	if err != nil {
		return 1, err
	}
	parsed, err := c.app.ParseContext(args)
	if err != nil {
		return 1, fmt.Errorf("parse the arguments again: %w", err)
	}
	s.given = parsed.Elements
	return s.do(chosen)
}

// services finds out what a service command is about.
func (c *command) services(out io.Writer) (*services, error) {
	around, whose, err := lookAround(service.Platform(), c.env)
	if err != nil {
		return nil, err
	}
	s := &services{c: c, out: out, around: around, manage: newManager, run: runCommand, tick: 200 * time.Millisecond, wait: 30 * time.Second}
	place, ok := placeOf(around.manager, c.service.user || !c.service.system && around.users(), whose, c.env)
	if s.place = place; !ok {
		return nil, around.refuse(place.user, false)
	}
	if s.self, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	return s, nil
}

// do does what a service command says, and returns the exit code.
func (s *services) do(chosen string) (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	of := s.c.service
	if err := s.around.refuse(s.place.user, chosen != of.status.FullCommand()); err != nil {
		return 1, err
	}
	var err error
	switch chosen {
	case of.install.FullCommand():
		err = s.install(ctx)
	case of.uninstall.FullCommand():
		err = s.uninstall(ctx, of.purge)
	case of.start.FullCommand():
		err = s.change(ctx, manager.Start, true)
	case of.stop.FullCommand():
		err = s.change(ctx, manager.Stop, false)
	case of.restart.FullCommand():
		err = s.change(ctx, manager.Restart, true)
	default:
		return s.status(ctx)
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// runCommand runs a program, with input, to its end.
func runCommand(ctx context.Context, input, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // constants
	cmd.Stdin = strings.NewReader(input)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("run %s: %w: %s", name, err, firstLine(said))
	}
	return nil
}
