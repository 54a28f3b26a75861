package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadCorpus(t *testing.T) {
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	for name, text := range map[string]string{
		"projects/b/s.jsonl":                   "one\n\ntwo\n",
		"projects/a/s/subagents/agent-1.jsonl": "no end",
		"projects/a/empty.jsonl":               "",
		"projects/a/s/journal.jsonl":           "decoy\n",
		"projects/a/tool-results/x.jsonl":      "decoy\n",
		"projects/a/s.jsonl.backup":            "decoy\n",
		"elsewhere.jsonl":                      "decoy\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	c, err := readCorpus(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.dir() != dir || c.lines != 3 || c.size != 15 || c.truth != nil {
		t.Errorf("%s with %d lines, %d bytes, truth %v, want %s with 3 lines, 15 bytes and no truth", c.dir(), c.lines, c.size, c.truth, dir)
	}
	list, err := io.ReadAll(c.list())
	want := ""
	for _, name := range []string{"a/empty.jsonl", "a/s/subagents/agent-1.jsonl", "b/s.jsonl"} {
		want += filepath.Join(projects, filepath.FromSlash(name)) + "\x00"
	}
	if err != nil || string(list) != want {
		t.Errorf("list %q, error %v, want %q", list, err, want)
	}

	write(t, filepath.Join(dir, "expected.tsv"), sampleFile(t, "expected.tsv"))
	if c, err = readCorpus(t.Context(), dir); err != nil || c.truth == nil || c.truth.Input != 139 {
		t.Errorf("truth %v, error %v, want 139 tokens of input", c.truth, err)
	}
	write(t, filepath.Join(dir, "expected.tsv"), "tokens\n")
	if _, err = readCorpus(t.Context(), dir); err == nil || !strings.HasPrefix(err.Error(), "read the true totals: ") {
		t.Errorf("error %v, want one of the true totals", err)
	}
}

func TestReadCorpusThatIsNone(t *testing.T) {
	dir := t.TempDir()
	if _, err := readCorpus(t.Context(), dir); err == nil || !strings.HasPrefix(err.Error(), "list the corpus: ") {
		t.Errorf("error %v, want one of the list", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := readCorpus(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "there are no sessions below "+dir) {
		t.Errorf("error %v, want one that says where it looked", err)
	}
}
