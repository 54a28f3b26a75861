package main

import (
	"io"
	stdlog "log"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/server"
)

// defaultAddress is the default listen address. It is a loopback address since usage
// data is private.
const defaultAddress = "localhost:10229"

const help = `Follows the session files of Claude Code, exposes usage and cost to Prometheus, and shows them on a page and in the terminal.

  ccwatchd                  serve http://` + defaultAddress + `/ and /metrics
  ccwatchd top              show the sessions of today
  ccwatchd report           print cost and tokens of the last 30 days
  ccwatchd explain          print what was expensive, and what to change
  ccwatchd status           show the state of the running daemon
  ccwatchd service install  start it now and at every login
  ccwatchd dashboards       write dashboards and rules

More:

  ccwatchd statusline       show cost and limits in Claude Code
  ccwatchd prices           print the prices of models
  ccwatchd backfill         write the past for Prometheus
  ccwatchd once ~/.claude   print the metrics of all sessions, and exit
  ccwatchd service status   or start, stop, restart, uninstall
  ccwatchd help report      describe a command and its flags
  ccwatchd version          print the version
  ccwatchd --config.file=ccwatchd.yml --config.check

Without a configuration it reads the projects directory of every entry of $CLAUDE_CONFIG_DIR, or else of ~/.claude and ~/.config/claude, and the sessions of Cowork in Claude Desktop on macOS and Windows.`

// A command is the command line: its flags and its subcommands.
type command struct {
	app *kingpin.Application
	env func(string) string
	log promslog.Config
	web server.Config

	levelGiven  bool // --log.level is on the command line
	formatGiven bool // --log.format is
	listenGiven bool // --web.listen-address is
	configFile  string
	configCheck bool
	stateDir    string
	readAgain   bool
	paths       []string // sessions to read instead of the configured sources
	maxRequests uint     // see server.Options
	lifecycle   bool     // requests may reload the configuration

	selected runFunc // set by parsing
	parsed   *kingpin.ParseContext
	flags    map[string][]string // see uses

	onListen  func(url string) // called with the URL of the first listener, or nil
	listening sync.Once
	ready     atomic.Bool // the daemon has caught up

	lastError  atomic.Pointer[status.Failure]
	heapGrowth heapGrowth
}

// A runFunc runs a subcommand and returns its exit code. With an error, a code of 0
// becomes 1.
type runFunc func(stdout io.Writer, log *slog.Logger) (int, error)

func newCommand(env func(string) string) *command {
	c := &command{app: kingpin.New("ccwatchd", help), env: env, flags: make(map[string][]string)}
	c.app.HelpFlag.Short('h')
	c.app.Version(version.Print("ccwatchd"))
	c.app.Flag("config.file", "Configuration file (YAML). Optional.").
		PlaceHolder("FILE").StringVar(&c.configFile)
	c.app.Flag("config.check", "Check the configuration, print errors, and exit.").
		BoolVar(&c.configCheck)
	c.app.Flag("state.dir", "Directory for the state, which keeps counters across restarts. Default: $STATE_DIRECTORY, or ccwatchd in $XDG_STATE_HOME or ~/.local/state.").
		PlaceHolder("DIR").Default(defaultStateDir(env)).StringVar(&c.stateDir)
	c.app.Flag("state.read-again", "Read all sessions again from the beginning, once after the start. Nothing is counted twice. Messages that were counted without a price get their cost, and events with a key that an older version ignored are added.").
		BoolVar(&c.readAgain)
	c.addServerFlags()
	promslogflag.AddFlags(c.app, &c.log)
	c.app.GetFlag("log.level").IsSetByUser(&c.levelGiven)
	c.app.GetFlag("log.format").IsSetByUser(&c.formatGiven)
	c.app.GetFlag("web.listen-address").IsSetByUser(&c.listenGiven)
	c.app.Validate(func(*kingpin.Application) error { return c.web.Validate() })
	c.limitHelp()
	c.addSubcommands()
	return c
}

// addSubcommands lists the subcommands. A new subcommand needs its own file, and a line
// here.
func (c *command) addSubcommands() {
	c.addRun()
	c.addReport()
	c.addExplain()
	c.addTop()
	c.addOnce()
	c.addStatus()
	c.addDashboards()
	c.addPrices()
	c.addBackfill()
	c.addHealthcheck()
	c.addService()
	c.addStatusline()
}

// add adds a subcommand that uses the flags of the application with the given prefixes.
func (c *command) add(name, help string, run runFunc, flags ...string) *kingpin.CmdClause {
	c.uses(name, flags...)
	return c.onSelect(c.app.Command(name, help), run)
}

// onSelect makes a clause, or a clause below it, select the function to run.
func (c *command) onSelect(clause *kingpin.CmdClause, run runFunc) *kingpin.CmdClause {
	return clause.Action(func(parsed *kingpin.ParseContext) error {
		c.selected, c.parsed = run, parsed
		return nil
	})
}

// uses records the prefixes of the flags that a subcommand uses, for its help.
func (c *command) uses(name string, flags ...string) { c.flags[name] = flags }

// limitHelp makes the help of a subcommand list only flags that it uses. It adds the
// long help, which the template of kingpin leaves out. The help of the application
// names all commands itself.
func (c *command) limitHelp() {
	const (
		all      = ".Context.Flags"
		selected = `{{template "FormatUsage" .Context.SelectedCommand}}`
		commands = "{{else if .App.Commands -}}\nCommands:\n{{template \"FormatCommands\" .App}}\n"
	)
	c.app.UsageTemplate(strings.NewReplacer(
		all, "(used .Context.SelectedCommand "+all+")",
		commands, "",
		selected, selected+"{{with .Context.SelectedCommand.HelpLong}}\n{{.|Wrap 0}}{{end}}",
	).Replace(kingpin.DefaultUsageTemplate))
	c.app.UsageFuncs(map[string]any{"used": func(selected *kingpin.CmdModel, flags []*kingpin.FlagModel) []*kingpin.FlagModel {
		if selected == nil {
			return flags
		}
		prefixes := append([]string{"help", "version"}, c.flags[selected.FullCommand]...)
		return slices.DeleteFunc(slices.Clone(flags), func(f *kingpin.FlagModel) bool {
			isUsed := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(f.Name, prefix) })
			return c.app.GetFlag(f.Name) != nil && !isUsed
		})
	}})
}

// execute runs the subcommand that was parsed.
func (c *command) execute(stdout io.Writer, log *slog.Logger) (int, error) {
	if c.configCheck {
		return 0, c.check(stdout, log)
	}
	return c.selected(stdout, log)
}

// withCommand adds the default command to arguments without one. The default command of
// kingpin also replaces invalid arguments: a last flag without its value would start
// the daemon without that flag.
func (c *command) withCommand(args []string) []string {
	if len(args) == 1 && args[0] == "version" {
		return []string{"--version"}
	}
	parsed, err := c.app.ParseContext(args)
	if err != nil || parsed.SelectedCommand != nil {
		return args
	}
	for _, e := range parsed.Elements {
		if e.Clause == c.app.HelpFlag {
			return []string{c.app.HelpCommand.FullCommand()} // the help of the application
		}
	}
	return append(slices.Clip(args), runCommand)
}

// logger returns the logger of commands that end: for people, unless a flag asks for a
// log.
func (c *command) logger(w io.Writer) *slog.Logger {
	c.log.Writer = w
	handler := promslog.New(&c.log).Handler()
	if !c.formatGiven && !c.levelGiven {
		handler = messageHandler{Handler: handler, to: &messageWriter{w: w}}
	}
	return c.newLogger(handler)
}

// newLogger returns a logger. The logger of the standard library passes its messages to
// it: net/http prints what a server sends.
func (c *command) newLogger(to slog.Handler) *slog.Logger {
	logger := slog.New(server.ErrorHandler{Handler: to, Last: &c.lastError})
	stdlog.SetFlags(0)
	stdlog.SetOutput(server.StandardLog{Logger: logger, Source: "standard library"})
	return logger
}

// defaultStateDir returns the state directory set by the service manager, or else the
// user's state directory on this operating system, or "".
func defaultStateDir(env func(string) string) string {
	if dir := env("STATE_DIRECTORY"); dir != "" {
		return filepath.SplitList(dir)[0]
	}
	dir := userDir(env, "XDG_STATE_HOME", "Application Support", filepath.Join(".local", "state"))
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "ccwatchd")
}

// cacheDir returns the user's directory for caches, or "".
func cacheDir(env func(string) string) string {
	return userDir(env, "XDG_CACHE_HOME", "Caches", ".cache")
}

// userDir returns a directory of the user: the value of a variable, or the place where
// this operating system keeps such directories, usually below home.
func userDir(env func(string) string, variable, library, inHome string) string {
	if dir := env(variable); filepath.IsAbs(dir) {
		return dir
	}
	home := config.Home(env)
	if home == "" {
		return ""
	}
	switch runtime.GOOS {
	case "windows":
		if dir := env("LocalAppData"); dir != "" {
			return dir
		}
	case "darwin":
		return filepath.Join(home, "Library", library)
	}
	return filepath.Join(home, inHome)
}
