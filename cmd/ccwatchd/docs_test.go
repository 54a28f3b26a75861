package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is where the documents and all packages are.
var module = filepath.Join("..", "..")

// Every test that the documents name exists: a promise that nothing holds is none.
func TestNamedTestsExist(t *testing.T) {
	named := matches(readPage(t, "reliability.md")+readPage(t, "../SECURITY.md"), `\bTest[A-Z]\w*`)
	if len(named) < 50 {
		t.Errorf("%d tests are named, want more", len(named))
	}
	defined := matches(sources(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") }), `(?m)^func (Test\w+)\(`)
	for name := range named {
		if !defined[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// An operator is told of every metric of the daemon, and of none that there is not.
func TestOperationsTellOfEveryMetric(t *testing.T) {
	there := matches(readPage(t, "metrics.md"), "(?m)^\\| `(ccwatchd_\\w+)`")
	told := matches(readPage(t, "operations.md"), `\b(ccwatchd_[a-z]\w*?)(?:_bucket)?\b`)
	for name := range there {
		if !told[name] {
			t.Errorf("nothing is told of %s", name)
		}
	}
	for name := range told {
		if !there[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// What an operator is told to look for in the log is what is logged.
func TestOperationsQuoteTheLog(t *testing.T) {
	code := sources(t, func(name string) bool { return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") })
	quoted := matches(readPage(t, "operations.md"), "`([A-Z][a-z]+ [a-z]+ [^`]*)`")
	if len(quoted) < 10 {
		t.Errorf("%d messages are quoted, want more", len(quoted))
	}
	for message := range quoted {
		if !strings.Contains(code, `"`+message) {
			t.Errorf("nothing logs %q", message)
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(module, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// matches returns what a pattern finds in a text: its last group, or all of it.
func matches(text, pattern string) map[string]bool {
	all := make(map[string]bool)
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all[found[len(found)-1]] = true
	}
	return all
}

// sources returns the text of all files of the module that are wanted.
func sources(t *testing.T, wanted func(name string) bool) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(module, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains([]string{".git", "testdata"}, e.Name()):
			return filepath.SkipDir
		case e.IsDir() || !wanted(e.Name()):
			return nil
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
