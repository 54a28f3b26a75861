package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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

// pattern compiles a regular expression.
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

// A loadError is a file that Load rejects. A line of the error that begins with a
// colon begins with the name of the file.
type loadError struct{ name, text, want string }

// testLoadErrors checks the errors of files, which must not contain "hush", a secret.
func testLoadErrors(t *testing.T, tests []loadError) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := realTempDir(t)
			c, err := Load(write(t, dir, test.text), environ(dir))
			got := message(err, dir)
			if want := strings.ReplaceAll("\n"+test.want, "\n:", "\nDIR/ccwatchd.yml:")[1:]; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if strings.Contains(got, "hush") {
				t.Error("the error contains the secret")
			}
			if c != nil {
				t.Error("got a configuration in spite of the error")
			}
		})
	}
}
