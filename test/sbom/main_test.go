package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The test program has known dependencies.
func TestBill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bill.json")
	if err := write("1.2.3", program, file); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got bill
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	main := got.Metadata.Component
	if want := "pkg:golang/github.com/ccwatchd/ccwatchd@1.2.3"; main.Ref != want || main.URL != want {
		t.Errorf("got program %+v, want %s", main, want)
	}
	if len(main.Hashes) != 1 || len(main.Hashes[0].Content) != 64 {
		t.Errorf("got hashes %v, want one SHA-256", main.Hashes)
	}
	std := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go")
	for _, need := range got.Dependencies {
		if need.Ref != main.Ref || !slices.Contains(need.DependsOn, std) || len(need.DependsOn) != len(got.Components) {
			t.Errorf("got dependencies %+v, want %s and %d in total", need, std, len(got.Components))
		}
	}
	if len(got.Dependencies) != 1 {
		t.Errorf("got dependencies of %d components, want 1", len(got.Dependencies))
	}
}

func TestInvalidProgram(t *testing.T) {
	dir := t.TempDir()
	for _, program := range []string{filepath.Join(dir, "missing"), dir, os.DevNull} {
		if err := write("1.2.3", program, filepath.Join(dir, "bill.json")); err == nil {
			t.Errorf("%s is accepted", program)
		}
	}
}
