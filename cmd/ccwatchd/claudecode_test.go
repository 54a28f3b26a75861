package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/claudecode"
	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/judge"
	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// The counts from masked transcripts of a genuine Claude Code equal the responses that
// a scripted API served to it. "make claude GOLDEN=1" writes both.
func TestOnceCountsWhatWasServed(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/claudecode/*")
	if err != nil || len(dirs) < 12 {
		t.Fatalf("got %d directories, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := readCase(t, dir)
			for _, problem := range judge.Compare(c).Problems {
				t.Error(problem)
			}
		})
	}
}

// readCase reads the transcripts and the served responses of a directory.
func readCase(t *testing.T, dir string) (c judge.Case) {
	t.Helper()
	served, err := os.Open(filepath.Join(dir, "served.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close() //nolint:errcheck // only read
	if c.Served, err = api.ReadServed(served); err != nil {
		t.Fatal(err)
	}
	if c.Lines, err = judge.Lines(dir, "projects"); err != nil {
		t.Fatal(err)
	}
	for _, l := range c.Lines {
		if text, ok := l.Data["version"].(string); ok {
			c.Version = version.MustParse(text)
		}
	}
	text, err := fs.ReadFile(claudecode.Scenarios(), filepath.Base(dir)+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.Scenario, err = scenario.Parse(filepath.Base(dir), text, c.Version); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if code := run([]string{"once", dir}, func(string) string { return "" }, &out, &log); code != 0 {
		t.Fatalf("exit status %d: %s", code, &log)
	}
	c.Log = log.String()
	if c.Counted, err = exposition.ParseText(out.String()); err != nil {
		t.Fatal(err)
	}
	return c
}
