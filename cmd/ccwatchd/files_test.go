package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

func makeDir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// writeFile writes a file and creates its directory.
func writeFile(t testing.TB, path string, lines ...string) {
	t.Helper()
	dir, name := filepath.Split(path)
	transcripttest.Tree{name: strings.Join(lines, "")}.Write(t, dir)
}

// appendFile appends to a file, which is created if missing.
func appendFile(t testing.TB, path string, lines ...string) {
	t.Helper()
	if err := transcripttest.AppendFile(path, strings.Join(lines, "")); err != nil {
		t.Fatal(err)
	}
}

func removeFile(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// skipOnWindows skips a test that sends signals or needs links or sparse files.
func skipOnWindows(t testing.TB) {
	t.Helper()
	if filepath.Separator == '\\' {
		t.Skip("needs signals, links or sparse files")
	}
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func makeFIFO(t *testing.T, name string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "mkfifo", name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
