package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

// The commands of this repository that are used here.
const (
	generatorPackage = "github.com/ccwatchd/ccwatchd/internal/corpus/generate"
	ccwatchdPackage  = "github.com/ccwatchd/ccwatchd/cmd/ccwatchd"
)

// A workshop gets ready what is needed for a comparison, and keeps it.
type workshop struct {
	cache    string // absolute
	progress io.Writer
}

func (w *workshop) say(format string, args ...any) {
	_, _ = fmt.Fprintf(w.progress, "compare: "+format+"\n", args...)
}

// corpus returns the directory of the corpus, and generates it if it is not
// there. It gets its name when it is complete, so that half of one is never
// taken for it.
func (w *workshop) corpus(ctx context.Context, seed uint64, size int64) (string, error) {
	dir := filepath.Join(w.cache, fmt.Sprintf("corpus-%d-%d", seed, size))
	_, err := os.Stat(dir)
	if err == nil {
		w.say("the corpus is in %s", dir)
		return dir, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look for the corpus: %w", err)
	}
	w.say("generating the corpus in %s", dir)
	unfinished, err := os.MkdirTemp(w.cache, "unfinished-corpus-")
	if err != nil {
		return "", fmt.Errorf("make a directory for the corpus: %w", err)
	}
	defer func() { _ = os.RemoveAll(unfinished) }()
	cmd := exec.CommandContext(ctx, "go", "run", generatorPackage, //nolint:gosec // numbers and a directory made here
		"--seed", strconv.FormatUint(seed, 10), "--size", strconv.FormatInt(size, 10)+"B", unfinished)
	cmd.Stdout, cmd.Stderr = w.progress, w.progress
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("generate the corpus: %w", err)
	}
	if _, err := os.Stat(filepath.Join(unfinished, truthFile)); err != nil {
		return "", fmt.Errorf("generate the corpus: %w", err)
	}
	if err := os.Rename(unfinished, dir); err != nil {
		return "", fmt.Errorf("name the corpus: %w", err)
	}
	return dir, nil
}

// ccwatchd builds it as its releases are built, and returns the binary.
func (w *workshop) ccwatchd(ctx context.Context) (string, error) {
	w.say("building ccwatchd")
	binary := filepath.Join(w.cache, "compared", "ccwatchd"+executable())
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, ccwatchdPackage) //nolint:gosec // the name is made here
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := output(cmd)
	return binary, err
}

// ccusage installs it and returns its binary. Since version 20 the package
// "ccusage" is only a script for Node that starts the binary of a package for
// the system; this installs the latter. An installation of before will do if
// the registry cannot be asked.
func (w *workshop) ccusage(ctx context.Context, version string) (string, error) {
	if err := find("npm"); err != nil {
		return "", err
	}
	name, err := ccusagePackage(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(w.cache, "ccusage-"+version)
	binary := filepath.Join(dir, "node_modules", filepath.FromSlash(name), "bin", "ccusage"+executable())
	w.say("installing ccusage")
	_, err = output(exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund", name+"@"+version)) //nolint:gosec // the version is the user's choice
	if _, missing := os.Stat(binary); err != nil && missing == nil {
		w.say("taking the ccusage of before: %v", err)
	} else if err := errors.Join(err, missing); err != nil {
		return "", err
	}
	// Packages of npm do not keep that a file can be executed.
	if err := os.Chmod(binary, 0o755); err != nil { //nolint:gosec // anybody may execute it
		return "", fmt.Errorf("make ccusage executable: %w", err)
	}
	return binary, nil
}

// ccusagePackage names the package that holds ccusage's binary for a system.
func ccusagePackage(goos, goarch string) (string, error) {
	systems := map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}
	machines := map[string]string{"amd64": "x64", "arm64": "arm64"}
	if systems[goos] == "" || machines[goarch] == "" {
		return "", fmt.Errorf("there is none for %s/%s", goos, goarch)
	}
	return "@ccusage/ccusage-" + systems[goos] + "-" + machines[goarch], nil
}

// executable is how names of executable files end on this system.
func executable() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
