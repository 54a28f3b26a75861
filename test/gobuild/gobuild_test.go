package gobuild

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "hello.go")
	filetest.Write(t, source, "package main\n\nfunc main() { print(\"hello\") }\n")
	program := filepath.Join(dir, "hello.exe")
	if err := Build(t.Context(), source, program); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil || string(out) != "hello" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestBuildFails(t *testing.T) {
	err := Build(t.Context(), "example.com/none", filepath.Join(t.TempDir(), "none"))
	if err == nil || !strings.HasPrefix(err.Error(), "build example.com/none: ") {
		t.Errorf("got %v", err)
	}
}
