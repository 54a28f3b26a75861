package servicecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/kardianos/service"

	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/packaging"
)

// A controller runs one service command. Tests replace the fields that access the
// system.
type controller struct {
	*Commands
	out         io.Writer
	given       []*kingpin.ParseElement // the command line
	environment environment
	paths       paths
	executable  string

	newManager func(paths, packaging.Program) (manager, error)
	runProgram func(ctx context.Context, input, name string, args ...string) (string, error)
	root       string        // prefix of all paths; "" except in tests
	interval   time.Duration // between two status requests
	timeout    time.Duration // for a service that does not answer
}

// controller returns the controller of the service that a command line names.
func (c *Commands) controller(parsed *kingpin.ParseContext, out io.Writer) (*controller, error) {
	env, account, err := detect(service.Platform(), c.Env)
	if err != nil {
		return nil, err
	}
	paths, ok := c.pathsOf(env.manager, c.user || !c.system && hasUserServices(env.manager), account)
	if !ok {
		return nil, env.check(paths.user, false)
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	return &controller{
		Commands: c, out: out, given: parsed.Elements, environment: env, paths: paths, executable: executable,
		newManager: newManager, runProgram: runProgram, interval: 200 * time.Millisecond, timeout: 30 * time.Second,
	}, nil
}

// A manager manages one service. It is a subset of service.Service.
type manager interface {
	Install() error
	Uninstall() error
	Start() error
	Stop() error
	Restart() error
	Status() (service.Status, error)
}

// verbatim is a template of package service that renders the only argument of the
// service, which is the text of the unit. This avoids the package's faulty quoting and
// makes units testable on every system.
const verbatim = "{{range Arguments}}{{.}}{{end}}"

// newManager returns the manager of the service that runs p, see package service.
func newManager(paths paths, p packaging.Program) (manager, error) {
	c := &service.Config{
		Name: "ccwatchd", DisplayName: "ccwatchd", Description: "Prometheus exporter for Claude Code",
		Executable: p.Path, Arguments: p.Args,
		Option: service.KeyValue{
			"UserService": paths.user,
			// On Windows.
			"OnFailure": "restart", "OnFailureDelayDuration": "3s", "DelayedAutoStart": true,
		},
	}
	if paths.template == "" {
		c.EnvVars = p.Env
	} else {
		unit, err := packaging.Unit(paths.template, p)
		if err != nil {
			return nil, err
		}
		c.Arguments, c.Option["SystemdScript"], c.Option["LaunchdConfig"] = []string{unit}, verbatim, verbatim
	}
	m, err := service.New(new(program), c)
	if err != nil {
		return nil, fmt.Errorf("connect to the service manager: %w", err)
	}
	if paths.manager == launchd {
		m = newLaunchdJob(m, paths)
	}
	return &completeService{m, paths.unit}, nil
}

// A completeService completes the installation of a service.
type completeService struct {
	service.Service

	unit string // "" without one
}

// Install implements manager. Whatever the umask, every user can read the unit, for its
// status, and only the owner can write it: launchd refuses other units. Windows
// restarts the service also after it has stopped with an error.
func (s *completeService) Install() error {
	if err := s.Service.Install(); err != nil {
		return err
	}
	if s.unit == "" {
		return recoverFromErrors("ccwatchd")
	}
	return os.Chmod(s.unit, 0o644) //nolint:gosec // not secret
}

var errNotInstalled = errors.New("the service is not installed; to install it: ccwatchd service install")

// A serviceInfo describes a service, according to its unit and its manager.
type serviceInfo struct {
	installed, running bool
	packaged           bool     // installed by a package
	unit               string   // path of its unit; "" without one
	args               []string // of the service, as far as known
}

// inspect returns the state of the service. It is installed if its unit exists:
// managers are not reliable about that.
func (s *controller) inspect(m manager) serviceInfo {
	status, err := m.Status()
	info := serviceInfo{running: err == nil && status == service.StatusRunning}
	if s.paths.unit == "" {
		info.installed = !errors.Is(err, service.ErrNotInstalled)
		return info
	}
	for _, path := range []string{s.paths.unit, s.paths.packagedUnit, strings.TrimPrefix(s.paths.packagedUnit, "/usr")} {
		b, err := os.ReadFile(s.root + path)
		if path == "" || err != nil {
			continue
		}
		more, _ := os.ReadFile(s.root + s.paths.extraArgs)
		info.installed, info.unit = true, path
		info.packaged = path != s.paths.unit || string(b) == packaging.Read(s.paths.template)
		info.args = append(packaging.Args(s.paths.template, string(b)), packaging.MoreArgs(string(more))...)
		break
	}
	return info
}

// installed returns the manager and the state of the service, and errNotInstalled if
// it is not installed.
func (s *controller) installed() (manager, serviceInfo, error) {
	m, err := s.newManager(s.paths, packaging.Program{Path: s.executable})
	if err != nil {
		return nil, serviceInfo{}, err
	}
	info := s.inspect(m)
	if !info.installed {
		err = errNotInstalled
	}
	return m, info, err
}

// listensOn reports whether the service listens on an address. A running service
// without a unit is assumed to.
func (s *controller) listensOn(info serviceInfo, address string) bool {
	return info.running && (info.unit == "" || address == cmp.Or(flagValue(info.args, listenFlag), s.DefaultAddress))
}

// client returns a status client for the address in the unit of the service.
func (s *controller) client(info serviceInfo) *statusclient.Client {
	return statusclient.New(statusclient.URL(cmp.Or(flagValue(info.args, listenFlag), (*s.ListenAddresses)[0])))
}

// stateDir returns the state directory of the service.
func (s *controller) stateDir() string {
	_, info, _ := s.installed()
	return cmp.Or(flagValue(info.args, stateFlag), s.paths.state)
}

// runProgram runs a program to its end, with at least one argument, and returns its
// output.
func runProgram(ctx context.Context, input, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // constants
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	if err != nil {
		line, _, _ := strings.Cut(string(output), "\n")
		return "", fmt.Errorf("run %s %s: %w: %s", name, args[0], err, line)
	}
	return string(output), nil
}

// printField prints a name and its value, unless that is empty.
func (s *controller) printField(name, value string) {
	if value != "" {
		s.printf("%-13s %s", name, value)
	}
}

func (s *controller) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}
