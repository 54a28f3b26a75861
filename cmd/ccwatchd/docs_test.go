package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// module is the root of the repository.
var module = filepath.Join("..", "..")

// The tests that the documents name exist.
func TestNamedTestsExist(t *testing.T) {
	named := matches(readPages(t, "design/reliability.md", "design/testing.md", "design/state.md"), `\bTest[A-Z]\w*`)
	if len(named) < 10 {
		t.Errorf("the documents name %d tests, want at least 10", len(named))
	}
	defined := matches(sources(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") }), `(?m)^func (Test\w+)\(`)
	for name := range named {
		if !defined[name] {
			t.Errorf("the documents name %s, which does not exist", name)
		}
	}
}

// The metrics of the daemon that the documents for operators name exist.
func TestOperationsNameMetrics(t *testing.T) {
	exists := matches(readPages(t, "metrics.md"), "(?m)^\\| `(ccwatchd_\\w+)")
	for name := range matches(readPages(t, operatorPages...), `\b(ccwatchd_[a-z]\w*?)(?:_bucket)?\b`) {
		if !exists[name] {
			t.Errorf("the documents explain %s, which does not exist", name)
		}
	}
}

// The log messages that the documents for operators quote exist in the code.
func TestOperationsQuoteTheLog(t *testing.T) {
	code := sources(t, func(name string) bool { return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") })
	quoted := matches(readPages(t, operatorPages...), "`([A-Z][a-z]+ [a-z]+ [^`]*)`")
	if len(quoted) < 10 {
		t.Errorf("the documents quote %d messages, want at least 10", len(quoted))
	}
	for message := range quoted {
		if !strings.Contains(code, `"`+message) {
			t.Errorf("no code logs %q", message)
		}
	}
}

// operatorPages are the documents for operators.
var operatorPages = []string{"operations.md", "alerts.md"}

// readPages returns the text of several documents.
func readPages(t *testing.T, names ...string) string {
	t.Helper()
	var text strings.Builder
	for _, name := range names {
		text.WriteString(readPage(t, name))
	}
	return text.String()
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	return filetest.Read(t, filepath.Join(module, "docs", name))
}

// matches returns the last group of each match of a pattern, or the whole match.
func matches(text, pattern string) map[string]bool {
	all := make(map[string]bool)
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all[found[len(found)-1]] = true
	}
	return all
}

// sources returns the text of all files of the repository whose name is wanted.
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
