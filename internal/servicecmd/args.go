package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kingpin/v2"
)

// pathFlags are those whose values are paths. A service is started elsewhere, so
// they are made absolute for it.
var pathFlags = []string{"config.file", "state.dir", "web.config.file"}

// serviceArgs are the arguments with which a service is to run the daemon: what
// was given to the command that installs it, save what is for that command alone.
func (c *command) serviceArgs(elements []*kingpin.ParseElement) ([]string, error) {
	args := []string{c.run.FullCommand()}
	for _, e := range elements {
		flag, ok := e.Clause.(*kingpin.FlagClause)
		if !ok || c.app.GetFlag(flag.Model().Name) != flag {
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
			if slices.Contains(pathFlags, name) && value != "" {
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

// given reports whether a flag is among arguments.
func given(args []string, flag string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--"+flag+"=") })
}

// argOf returns the value of a flag among arguments; "" if it is not there.
func argOf(args []string, flag string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
			return value
		}
	}
	return ""
}

var (
	errTemporary = errors.New("a build that will not stay; go install it, or copy it to where programs are")
	errPrivate   = errors.New("where one user could change what the system runs; copy it to /usr/local/bin first")
)

// checkProgram complains of a program that a service had better not run.
func checkProgram(path string, user bool) error {
	under := func(dirs ...string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return dir != "" && strings.HasPrefix(path, filepath.Clean(dir)+string(filepath.Separator))
		})
	}
	switch {
	case under(os.TempDir(), "/tmp", "/var/tmp"):
		return fmt.Errorf("%s is %w", path, errTemporary)
	case !user && under("/home", "/root"):
		return fmt.Errorf("%s lies %w", path, errPrivate)
	}
	return nil
}
