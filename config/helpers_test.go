package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// environ replaces os.Getenv, with a home directory and pairs of names and values.
func environ(home string, pairs ...string) func(string) string {
	vars := map[string]string{homeVariable(): home}
	for i := 0; i+1 < len(pairs); i += 2 {
		vars[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return vars[name] }
}

// write writes a file of the given lines into dir and returns its path.
func write(t *testing.T, dir string, lines ...string) string {
	t.Helper()
	path := filepath.Join(dir, "ccwatchd.yml")
	filetest.Write(t, path, strings.Join(lines, "\n")+"\n")
	return path
}

// mkdir makes directories below dir.
func mkdir(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func pattern(t testing.TB, expr string) Pattern {
	t.Helper()
	p, err := NewPattern(expr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// realTempDir is t.TempDir without symbolic links.
func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// message returns the text of an error with DIR for the directory, and with slashes
// after it on every system.
func message(err error, dir string) string {
	if err == nil {
		return ""
	}
	text := strings.ReplaceAll(err.Error(), dir, "DIR")
	return strings.ReplaceAll(text, `DIR\`, "DIR/")
}
