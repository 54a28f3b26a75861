package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// projectsDir contains the transcripts, in a configuration directory of Claude Code.
const projectsDir = "projects"

// defaultSources returns the sources of a configuration that lists none, on an
// operating system as runtime.GOOS names it.
func defaultSources(system string, env func(string) string) ([]Source, error) {
	dirs, err := configuredDirs(env)
	if err != nil {
		return nil, fmt.Errorf("read CLAUDE_CONFIG_DIR: %w", err)
	}
	if len(dirs) == 0 {
		dirs = standardDirs(env)
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("no home directory is known: "+
			"set %s or CLAUDE_CONFIG_DIR, or name the sources in a configuration file", homeVariable())
	}
	var sources []Source
	for _, dir := range dirs {
		path, err := filepath.Abs(filepath.Join(dir, projectsDir))
		if err != nil {
			return nil, fmt.Errorf("make path absolute: %w", err)
		}
		sources = append(sources, Source{Path: path})
	}
	return append(sources, coworkSources(system, env)...), nil
}

// configuredDirs returns the directories in $CLAUDE_CONFIG_DIR.
func configuredDirs(env func(string) string) ([]string, error) {
	var dirs []string
	for dir := range strings.SplitSeq(env("CLAUDE_CONFIG_DIR"), ",") {
		if dir = strings.TrimSpace(dir); dir == "" {
			continue
		}
		path, err := expandHome(dir, env)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, path)
	}
	return dirs, nil
}

// standardDirs returns the directories that Claude Code uses by default.
func standardDirs(env func(string) string) []string {
	var dirs []string
	home := Home(env)
	if home != "" {
		dirs = append(dirs, filepath.Join(home, ".claude"))
	}
	xdg := env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(xdg) && home != "" { // the specification ignores relative paths
		xdg = filepath.Join(home, ".config")
	}
	if filepath.IsAbs(xdg) {
		dirs = append(dirs, filepath.Join(xdg, "claude"))
	}
	return dirs
}

// Home returns the home directory, like os.UserHomeDir, but from env; "" if there is
// none.
func Home(env func(string) string) string { return env(homeVariable()) }

// homeVariable is the environment variable that os.UserHomeDir reads.
func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// expandSources expands a leading ~ and environment variables in the paths.
func expandSources(sources []Source, env func(string) string) problems {
	var found problems
	for i := range sources {
		s := &sources[i]
		if s.Path == "" {
			continue
		}
		path, err := expandHome(s.Path, env)
		if err == nil {
			path, err = expandVariables(path, env)
		}
		if err != nil {
			found.addKey(pathKey(i), "%v", err)
			continue
		}
		s.Path = filepath.Clean(path)
	}
	return found
}

// expandHome expands a leading ~.
func expandHome(path string, env func(string) string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	switch {
	case !ok:
		return path, nil
	case rest != "" && !os.IsPathSeparator(rest[0]):
		return "", errors.New("~ with a user name is not supported: use the full path")
	}
	home := Home(env)
	if home == "" {
		return "", errors.New("~ cannot be expanded: $" + homeVariable() + " is not set")
	}
	return filepath.Join(home, rest), nil
}

// expandVariables expands $NAME and ${NAME}, and $$ to a dollar sign. An unset or empty
// variable is an error, because the result would be a different path.
func expandVariables(path string, env func(string) string) (string, error) {
	var unset []error
	path = os.Expand(path, func(name string) string {
		if name == "$" {
			return name
		}
		value := env(name)
		if value == "" {
			unset = append(unset, fmt.Errorf("$%s is not set", name))
		}
		return value
	})
	return path, errors.Join(unset...)
}
