// Package servicecmd installs ccwatchd as a service of the operating system,
// controls that service, and runs the daemon under a service manager.
//
// An installation that cannot work changes nothing: program, configuration and address
// are checked first. A failed installation leaves nothing that blocks the next one.
package servicecmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/status"
)

const help = `Install and control ccwatchd as a service.

The user service, the default, reads the sessions of that user and needs no privileges: use it on your own machine. The system service (--system, as root) starts at boot. On Linux it reads the sources in /etc/ccwatchd/ccwatchd.yml, by default the sessions of all users, as a dedicated user that can read every file and write only its state. On macOS and Windows it reads the sessions of the user who installs it. OpenRC and FreeBSD have their own commands: see docs/install.md.

Examples:

  ccwatchd service install
  ccwatchd service install --web.listen-address=localhost:10230
  sudo ccwatchd service install --system
  ccwatchd service status`

// Options describe the program whose service is controlled.
type Options struct {
	Env func(name string) string
	// RunCommand is the name of the command that runs the daemon.
	RunCommand string
	// ListenAddresses are the values of --web.listen-address once parsed.
	ListenAddresses *[]string
	// DefaultAddress is the address of a daemon without that flag.
	DefaultAddress string
	// StateDir is the state directory of a user's daemon without --state.dir.
	StateDir string
	// PrintStatus prints the status of the daemon at a URL, in the format of printField.
	PrintStatus func(w io.Writer, url string, s *status.Status)
	// PrintAddresses prints what the daemon at a URL offers, in the same format.
	PrintAddresses func(w io.Writer, url string)
}

// Flags of the daemon that the commands read. Relative paths in them are made
// absolute, because a service starts in another directory. A service cannot have
// readAgainFlag, which is for a single start.
const (
	configFlag    = "config.file"
	stateFlag     = "state.dir"
	readAgainFlag = "state.read-again"
	webConfigFlag = "web.config.file"
	listenFlag    = "web.listen-address"
)

// Commands are the command "service" and its subcommands.
type Commands struct {
	Options

	Clause *kingpin.CmdClause // the command itself

	app                 *kingpin.Application
	subcommands         map[string]subcommand // by full name
	user, system, purge bool
}

// A subcommand returns its exit code.
type subcommand struct {
	run     func(context.Context, *controller) (int, error)
	changes bool // needs more privileges than reading
}

// Add adds the commands to an application, which has the flags of the daemon.
func Add(app *kingpin.Application, o Options) *Commands {
	c := &Commands{Options: o, app: app, subcommands: make(map[string]subcommand)}
	group := app.Command("service", help)
	c.Clause = group
	group.Flag("user", "Use the user service. The default where user services exist: with systemd, and on macOS.").BoolVar(&c.user)
	group.Flag("system", "Use the system service.").BoolVar(&c.system)

	add := func(name, help string, changes bool, run func(context.Context, *controller) (int, error)) *kingpin.CmdClause {
		clause := group.Command(name, help)
		c.subcommands[clause.FullCommand()] = subcommand{run, changes}
		return clause
	}
	add("install", "Install the service, or update it: check the configuration, start it, and wait until it has read everything. The service runs with the flags of the daemon given here.", true,
		func(ctx context.Context, s *controller) (int, error) { return 0, s.install(ctx) })
	add("uninstall", "Stop the service and remove everything except its state.", true,
		func(ctx context.Context, s *controller) (int, error) { return 0, s.uninstall(ctx, c.purge) }).
		Flag("purge", "Also remove the state: sessions still on disk would be counted again.").BoolVar(&c.purge)
	add("start", "Start the service.", true,
		func(ctx context.Context, s *controller) (int, error) { return 0, s.change(ctx, manager.Start, true) })
	add("stop", "Stop the service.", true,
		func(ctx context.Context, s *controller) (int, error) { return 0, s.change(ctx, manager.Stop, false) })
	add("restart", "Stop the service and start it again.", true,
		func(ctx context.Context, s *controller) (int, error) { return 0, s.change(ctx, manager.Restart, true) })
	add("status", "Show the state of the service. Exits with 0 if it runs, 3 if it does not, 4 if it is not installed, and 1 if its state is unknown.", false,
		func(ctx context.Context, s *controller) (int, error) { return s.status(ctx) })
	return c
}

var errBothScopes = errors.New("--user and --system are mutually exclusive; try --help")

// Run runs the subcommand that was parsed and returns its exit code.
func (c *Commands) Run(parsed *kingpin.ParseContext, out io.Writer) (int, error) {
	if c.user && c.system {
		return 2, errBothScopes
	}
	s, err := c.controller(parsed, out)
	if err != nil {
		return 1, err
	}
	return c.run(c.subcommands[parsed.SelectedCommand.FullCommand()], s)
}

func (c *Commands) run(sub subcommand, s *controller) (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.environment.check(s.paths.user, sub.changes); err != nil {
		return 1, err
	}
	code, err := sub.run(ctx, s)
	if err != nil {
		code = max(code, 1)
	}
	return code, err
}
