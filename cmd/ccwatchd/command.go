package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/metrics"
)

// defaultAddress is the default listen address. It is a loopback one since usage is
// private.
const defaultAddress = "localhost:10229"

const help = `Follows the session files of Claude Code and exposes what happened in them as Prometheus metrics.

Without a configuration it reads the projects directory of every entry of $CLAUDE_CONFIG_DIR, or else of ~/.claude and ~/.config/claude.

Examples:

  ccwatchd                                  serve http://` + defaultAddress + `/metrics
  ccwatchd service install                  have that run from now on, as a service
  ccwatchd demo                             serve what a made-up team does, to look at
  ccwatchd dashboards                       write dashboards and rules for Grafana and Prometheus
  ccwatchd once ~/.claude                   print what all sessions amount to, and exit
  ccwatchd --config.file=ccwatchd.yml --config.check`

// A command is the command line: its flags and its subcommands.
type command struct {
	app *kingpin.Application
	env func(string) string
	log promslog.Config
	web *web.FlagConfig

	configFile  string
	configCheck bool
	stateDir    string
	dirs        []string
	endpoint    endpoint

	selected runFunc // set by parsing
	parsed   *kingpin.ParseContext

	// override changes the configuration, and background runs along with the daemon;
	// nil for nothing.
	override   func(*config.Config)
	background func(context.Context) error

	lastError atomic.Pointer[metrics.Failure]
}

// A runFunc runs a subcommand and returns its exit code. With an error that is 1 if
// it is 0.
type runFunc func(stdout io.Writer, log *slog.Logger) (int, error)

func newCommand(env func(string) string) *command {
	c := &command{app: kingpin.New("ccwatchd", help), env: env}
	c.app.HelpFlag.Short('h')
	c.app.Version(version.Print("ccwatchd"))
	c.app.Flag("config.file", "Configuration to read (YAML). Everything works without one.").
		PlaceHolder("FILE").StringVar(&c.configFile)
	c.app.Flag("config.check", "Check the configuration, say what is wrong with it, and exit.").
		BoolVar(&c.configCheck)
	c.app.Flag("state.dir", "Directory in which counters outlive a restart.").
		PlaceHolder("DIR").Default(defaultStateDir(env)).StringVar(&c.stateDir)
	c.web = kingpinflag.AddFlags(c.app, defaultAddress)
	c.endpoint.addFlags(c.app)
	promslogflag.AddFlags(c.app, &c.log)
	c.addSubcommands()
	return c
}

// addSubcommands lists the subcommands. A new one takes a file of its own, and a
// line here.
func (c *command) addSubcommands() {
	c.addRun()
	c.addOnce()
	c.addDemo()
	c.addDashboards()
	c.addHealthcheck()
	c.addService()
}

// add adds a subcommand.
func (c *command) add(name, help string, run runFunc) *kingpin.CmdClause {
	return c.onSelect(c.app.Command(name, help), run)
}

// onSelect has a clause, or a clause below it, select what is run.
func (c *command) onSelect(clause *kingpin.CmdClause, run runFunc) *kingpin.CmdClause {
	return clause.Action(func(parsed *kingpin.ParseContext) error {
		c.selected, c.parsed = run, parsed
		return nil
	})
}

// execute runs the subcommand that was parsed.
func (c *command) execute(stdout io.Writer, log *slog.Logger) (int, error) {
	if c.configCheck {
		return 0, c.check(stdout, log)
	}
	return c.selected(stdout, log)
}

// withCommand adds the default command to arguments without one. The default command
// of kingpin also replaces invalid arguments: a last flag without its value would
// start the daemon without that flag.
func (c *command) withCommand(args []string) []string {
	parsed, err := c.app.ParseContext(args)
	if err != nil || parsed.SelectedCommand != nil {
		return args
	}
	for _, e := range parsed.Elements {
		if e.Clause == c.app.HelpFlag {
			return []string{c.app.HelpCommand.FullCommand()} // of all commands
		}
	}
	return append(slices.Clip(args), runCommand)
}

func (c *command) logger(w io.Writer) *slog.Logger {
	c.log.Writer = w
	return slog.New(errorHandler{promslog.New(&c.log).Handler(), &c.lastError})
}

// defaultStateDir returns the state directory that the service manager names, or
// that of the user on this operating system; "" if there is none.
func defaultStateDir(env func(string) string) string {
	if dir := env("STATE_DIRECTORY"); dir != "" {
		return filepath.SplitList(dir)[0]
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ccwatchd")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	switch runtime.GOOS {
	case "windows":
		if dir := env("LocalAppData"); dir != "" {
			return filepath.Join(dir, "ccwatchd")
		}
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "ccwatchd")
	}
	return filepath.Join(home, ".local", "state", "ccwatchd")
}
