package servicecmd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// program returns the command line, account and environment of the service.
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

// variables returns the environment variables that locate the user's files and are set.
// A service does not inherit a shell's variables.
func (s *controller) variables() map[string]string {
	env := make(map[string]string)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if value := s.Env(name); value != "" && s.paths.user {
			env[name] = value
		}
	}
	if s.paths.manager == windows { // the service runs as another user
		for name, dir := range map[string]string{
			"CLAUDE_CONFIG_DIR": ".claude", "APPDATA": "AppData/Roaming", "LOCALAPPDATA": "AppData/Local",
		} {
			env[name] = cmp.Or(s.Env(name), filepath.Join(s.paths.account.home, filepath.FromSlash(dir)))
		}
	}
	return env
}

// daemonArgs returns the arguments of the daemon in a service: the daemon's flags given
// to the install command.
func (s *controller) daemonArgs() ([]string, error) {
	args := []string{s.RunCommand}
	for _, e := range s.given {
		flag, ok := e.Clause.(*kingpin.FlagClause)
		if !ok || s.app.GetFlag(flag.Model().Name) != flag {
			continue
		}
		name, value := flag.Model().Name, ""
		if e.Value != nil {
			value = *e.Value
		}
		switch {
		case name == readAgainFlag && value != "false":
			return nil, errReadAgain
		case flag.Model().IsBoolFlag() && value == "false":
			args = append(args, "--no-"+name)
		case flag.Model().IsBoolFlag():
			args = append(args, "--"+name)
		default:
			if slices.Contains([]string{configFlag, stateFlag, webConfigFlag}, name) && value != "" {
				var err error
				if value, err = filepath.Abs(value); err != nil {
					return nil, fmt.Errorf("make path absolute: %w", err)
				}
			}
			args = append(args, "--"+name+"="+value)
		}
	}
	return args, nil
}

// hasFlag reports whether a flag is among arguments.
func hasFlag(args []string, flag string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--"+flag+"=") })
}

// flagValue returns the value of a flag among arguments; "" if it is missing.
func flagValue(args []string, flag string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
			return value
		}
	}
	return ""
}

var (
	errFixedState = errors.New("the system service can write to one state directory only: leave out --state.dir")
	errReadAgain  = errors.New("refusing to install a service that reads all sessions again at every start: leave out --state.read-again")
	errTemporary  = errors.New("refusing to install a service for a program in a temporary directory: run go install, or copy it to a permanent one")
	errPrivate    = errors.New("refusing to install a system service for a program in a home directory, where a user can replace it: copy it to /usr/local/bin first")
)

// checkProgram returns an error if running a program as a service is unsafe.
func checkProgram(path string, user bool) error {
	under := func(dirs ...string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return dir != "" && strings.HasPrefix(path, filepath.Clean(dir)+string(filepath.Separator))
		})
	}
	switch {
	case under(os.TempDir(), "/tmp", "/var/tmp"):
		return fmt.Errorf("%w: %s", errTemporary, path)
	case !user && under("/home", "/root"):
		return fmt.Errorf("%w: %s", errPrivate, path)
	}
	return nil
}
