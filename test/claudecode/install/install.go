// Package install gets versions of Claude Code from npm.
package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// Package is the name of Claude Code on npm.
const Package = "@anthropic-ai/claude-code"

// ErrNoNPM says that versions cannot be installed here.
var ErrNoNPM = errors.New("it needs npm")

// Newest returns the newest version that npm has.
func Newest(ctx context.Context) (version.Version, error) {
	out, err := npm(ctx, "view", Package, "version")
	if err != nil {
		return version.Version{}, err
	}
	return version.Parse(strings.TrimSpace(out))
}

// Version installs a version below a directory, unless it is there already, and returns
// the directory of the version and the command line, relative to it.
func Version(ctx context.Context, dir string, v version.Version) (at string, program []string, err error) {
	at = filepath.Join(dir, v.String())
	if _, err := os.Stat(at); err == nil {
		program, err = find(at)
		return at, program, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("install Claude Code: %w", err)
	}
	unfinished, err := os.MkdirTemp(dir, "unfinished")
	if err != nil {
		return "", nil, fmt.Errorf("install Claude Code: %w", err)
	}
	defer os.RemoveAll(unfinished) //nolint:errcheck // renamed, or of no use
	_, err = npm(ctx, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", unfinished, Package+"@"+v.String())
	if err != nil {
		return "", nil, err
	}
	if err := prune(unfinished); err != nil {
		return "", nil, fmt.Errorf("install Claude Code: %w", err)
	}
	if program, err = find(unfinished); err != nil {
		return "", nil, err
	}
	return at, program, os.Rename(unfinished, at)
}

func npm(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("npm")
	if err != nil {
		return "", ErrNoNPM
	}
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // constants and a version
	var failure strings.Builder
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("npm %s: %w: %s", args[0], err, strings.TrimSpace(failure.String()))
	}
	return string(out), nil
}

// unneeded are parts for other systems and editors, up to half of a version.
var unneeded = []string{
	"@img", "@anthropic-ai/claude-code/vendor/claude-code-*", "@anthropic-ai/claude-code/vendor/*/*-darwin",
	"@anthropic-ai/claude-code/vendor/*/*-win32", "@anthropic-ai/claude-code-linux-*-musl",
}

func prune(dir string) error {
	for _, pattern := range unneeded {
		paths, err := filepath.Glob(filepath.Join(dir, "node_modules", pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the command line of an installed version: a program in a package for
// this system, or, in older versions, a script for node.
func find(dir string) ([]string, error) {
	modules := filepath.Join(dir, "node_modules/@anthropic-ai")
	programs, err := filepath.Glob(filepath.Join(modules, "claude-code-linux-*/claude"))
	if err != nil {
		return nil, err
	}
	if len(programs) > 0 {
		relative, err := filepath.Rel(dir, programs[0])
		return []string{relative}, errors.Join(err, executable(programs[0]))
	}
	for _, name := range []string{"cli.js", "cli.mjs"} {
		path := filepath.Join(modules, "claude-code", name)
		if _, err := os.Stat(path); err == nil {
			relative, err := filepath.Rel(dir, path)
			return []string{"node", "--no-warnings", relative}, err
		}
	}
	return nil, fmt.Errorf("no program in %s: remove it", dir)
}

// executable does the work of the package's install script.
func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o100 != 0 {
		return err
	}
	return os.Chmod(path, 0o700) //nolint:gosec // a program
}

// Available returns ErrNoNPM if versions cannot be installed.
func Available() error {
	if _, err := exec.LookPath("npm"); err != nil {
		return ErrNoNPM
	}
	return nil
}
