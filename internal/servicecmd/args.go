package servicecmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kingpin/v2"
)

// daemonArgs returns the arguments with which a service runs the daemon: the flags
// given to the install command, without those of that command itself.
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
	errTemporary = errors.New("refusing to install a service for a program in a temporary directory: run go install, or copy it to a permanent one")
	errPrivate   = errors.New("refusing to install a system service for a program in a home directory, where a user can replace it: copy it to /usr/local/bin first")
)

// checkProgram returns an error for a program that is unsafe to run as a service.
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
