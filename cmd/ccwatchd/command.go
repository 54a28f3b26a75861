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

// defaultAddress is where metrics are served unless told otherwise: for this
// machine only, since usage is private.
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

// A command is the command line: its flags and its commands.
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

	run, once  *kingpin.CmdClause
	demo       *demoCommand
	dashboards *dashboardsCommand
	health     *healthcheck
	service    *serviceCommand

	// amend changes the configuration, and beside runs along with the daemon; nil
	// for nothing.
	amend  func(*config.Config)
	beside func(context.Context) error

	lastError atomic.Pointer[metrics.Failure]
}

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

	c.run = c.app.Command("run", "Follow the sessions and serve their metrics. The default.")
	c.once = c.app.Command("once", "Read every session once, print the metrics and exit. Of a directory DIR it reads only DIR/projects, if that exists. Neither reads nor writes the state.")
	c.once.Arg("dir", "Directories with sessions in them: a ~/.claude, a projects directory, or any that holds some. Default: those of the configuration.").
		StringsVar(&c.dirs)
	c.demo = addDemo(c.app)
	c.dashboards = addDashboards(c.app)
	c.health = addHealthcheck(c.app)
	c.service = addService(c.app)
	return c
}

// withCommand adds the default command where there is none. Kingpin's own kind
// of default stands in for whatever makes no sense too: a last flag without its
// value would start the daemon without that flag.
func (c *command) withCommand(args []string) []string {
	parsed, err := c.app.ParseContext(args)
	if err != nil || parsed.SelectedCommand != nil {
		return args
	}
	for _, e := range parsed.Elements {
		if e.Clause == c.app.HelpFlag {
			return []string{c.app.HelpCommand.FullCommand()} // for all, not for the default
		}
	}
	return append(slices.Clip(args), c.run.FullCommand())
}

func (c *command) logger(w io.Writer) *slog.Logger {
	c.log.Writer = w
	return slog.New(rememberer{promslog.New(&c.log).Handler(), &c.lastError})
}

// defaultStateDir is where the system has programs keep such things: where the
// service manager says, or in the user's own place.
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
