package config

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Warnings returns the probable mistakes among valid settings of the file, each with
// its line and the name of the file.
func (c *Config) Warnings(file string) []error { return c.warnings.errors(file) }

// findWarnings returns the warnings about the values of a file, given the lines of its
// keys.
func (c *Config) findWarnings(lines map[string]int) problems {
	var found problems
	for i, s := range c.Sources {
		if text := s.warning(); text != "" && lines[pathKey(i)] > 0 { // not of a default
			found.addKey(pathKey(i), "%s", text)
		}
	}
	for i := range c.RemoteWrite {
		if to, err := url.Parse(c.RemoteWrite[i].URL); err == nil && strings.Trim(to.Path, "/") == "" {
			found.addKey("remote_write["+strconv.Itoa(i)+"].url", "the URL has no path: servers usually receive at one, such as /api/v1/write")
		}
	}
	const shortest = Duration(time.Minute)
	if window := c.Intervals.ZeroWindow; window > 0 && window < shortest {
		found.addKey("intervals.zero_window", "%v is below a minute, the default scrape interval of Prometheus, which may then never receive the 0", window)
	}
	found.locate(lines)
	return found
}

// warning returns why the path of a source is probably a mistake, or "".
func (s Source) warning() string {
	const claudeDir = ".claude"
	if filepath.Base(s.Path) == claudeDir || s.isLiteral() && isDir(filepath.Join(s.Path, projectsDir)) {
		return "this is the directory of Claude Code's settings: add /" + projectsDir + ", where its sessions are"
	}
	if s.isLiteral() {
		if _, err := os.Stat(s.Path); errors.Is(err, fs.ErrNotExist) {
			return "the directory does not exist: it is read as soon as it does"
		}
		return ""
	}
	if all, dropped, err := s.matches(); err == nil && len(all)+len(dropped) == 0 {
		return "no directory matches the pattern"
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
