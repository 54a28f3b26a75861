package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	const before, after = "# Title\n\n" + begin, end + "\nMore.\n"
	name := filepath.Join(t.TempDir(), "page.md")
	write(t, name, before+"\nold\n\n"+after)
	for _, tables := range []string{"new\n", "newer\nand longer\n"} {
		p, err := readPage(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.replace(tables); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if want := before + "\n" + tables + "\n" + after; err != nil || string(got) != want {
			t.Errorf("error %v, page\n%s\nwant\n%s", err, got, want)
		}
	}
}

func TestPageWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ name, text string }{
		{"empty", ""},
		{"no end", begin},
		{"no beginning", end},
		{"the wrong way round", end + begin},
		{"two beginnings", begin + begin + end},
		{"two ends", begin + end + end},
		{"in a line", strings.TrimSuffix(begin, "\n") + end},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(dir, "page.md")
			write(t, name, test.text)
			if _, err := readPage(name); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want one that names the file", err)
			}
		})
	}
	if _, err := readPage(filepath.Join(dir, "missing.md")); err == nil {
		t.Error("no error for a page that is not there")
	}
}

// write writes a file and makes the directories that it is in.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
