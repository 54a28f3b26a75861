// Package filetest reads and writes files in tests, which end at the first error.
package filetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Read returns the content of a file.
func Read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Write replaces the content of a file, and creates it and its directory if necessary.
func Write(t testing.TB, name, content string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Names returns the sorted names of the entries of a directory.
func Names(t testing.TB, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}
