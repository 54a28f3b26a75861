package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestGenerate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "corpus")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"--seed=3", "--size=1MB", "--projects=2", dir}, &stdout, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	b := filetest.Read(t, filepath.Join(dir, "tokens.json"))
	var got struct{ Totals corpus.Tokens }
	if err := json.Unmarshal([]byte(b), &got); err != nil {
		t.Fatal(err)
	}
	same, err := corpus.Generate(t.TempDir(), corpus.Options{Seed: 3, Size: 1 << 20, Projects: 2})
	if err != nil || got.Totals != same.Tokens {
		t.Errorf("tokens.json contains %s, want %+v, %v", b, same.Tokens, err)
	}
	if !strings.Contains(stderr.String(), " transcripts, ") || stdout.Len() > 0 {
		t.Errorf("got output %q and %q", &stdout, &stderr)
	}
	if dirs, err := filepath.Glob(filepath.Join(dir, "projects", "*", "*.jsonl")); err != nil || len(dirs) < 2 {
		t.Errorf("got transcripts %q, %v", dirs, err)
	}
	if links, err := filepath.Glob(filepath.Join(dir, "projects", "-home-dev-*")); err != nil || len(links) < 2 {
		t.Errorf("got links %q, %v", links, err)
	}
}

func TestArguments(t *testing.T) {
	full := t.TempDir()
	filetest.Write(t, filepath.Join(full, "a"), "")
	for _, test := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"help", []string{"--help"}, 0, "generate --seed 7 --size 2GB", ""},
		{"no directory", nil, 2, "", "required argument 'dir' not provided; try --help"},
		{"no size", []string{"--size=much", full}, 2, "", "try --help"},
		{"no day", []string{"--until=tomorrow", t.TempDir()}, 1, "", "parse --until"},
		{"not empty", []string{full}, 1, "", full + ": the directory is not empty"},
		{"a file", []string{filepath.Join(full, "a")}, 1, "", "a: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(test.args, &stdout, &stderr)
			if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("got code %d, output %q and %q", code, &stdout, &stderr)
			}
		})
	}
}
