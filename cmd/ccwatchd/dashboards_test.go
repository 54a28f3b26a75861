package main

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/packaging"
	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// monitoring returns the files that the command writes.
func monitoring() transcripttest.Tree {
	files := make(transcripttest.Tree)
	for _, name := range packaging.Monitoring() {
		files[name] = packaging.Read(name)
	}
	return files
}

// By default the files go to a new directory, readable for the servers. They are
// listed, and written only once.
func TestDashboards(t *testing.T) {
	p := newSandbox(t)
	dir := filepath.Join(p.home, "ccwatchd-dashboards")
	for _, want := range []string{
		"Wrote 17 files to ccwatchd-dashboards; 0 were up to date.\n",
		"Wrote 0 files to ccwatchd-dashboards; 17 were up to date.\n",
	} {
		stdout, stderr, code := p.run(t, "dashboards")
		if code != 0 || stderr != "" || !strings.HasPrefix(stdout, want) {
			t.Fatalf("code %d, got\n%s%swant\n%s", code, stderr, stdout, want)
		}
		if !maps.Equal(transcripttest.ReadTree(t, dir), monitoring()) {
			t.Error("the files differ from those in the program")
		}
		for name := range monitoring() {
			if !strings.Contains(stdout, "\n  "+name+"\n") {
				t.Errorf("%s is not listed in\n%s", name, stdout)
			}
			info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o644 && runtime.GOOS != "windows" {
				t.Errorf("%s: got mode %o, want 644", name, mode)
			}
		}
	}
}

// If a file differs, no file is written without --force.
func TestDashboardsKeepChanges(t *testing.T) {
	p := newSandbox(t)
	dir := filepath.Join(p.home, "out", "here")
	if stdout, stderr, code := p.run(t, "dashboards", "--out=out/here"); code != 0 {
		t.Fatalf("code %d:\n%s%s", code, stdout, stderr)
	}
	want := ""
	for _, name := range []string{"grafana/dashboards/tools.json", "prometheus/rules/usage.yml"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		writeFile(t, path, "mine\n")
		want += "ccwatchd: " + path + " differs from the file of this version\n"
	}
	removeFile(t, filepath.Join(dir, "grafana", "dashboards", "cache.json"))
	before := transcripttest.ReadTree(t, dir)

	stdout, stderr, code := p.run(t, "dashboards", "--out="+dir)
	want += "ccwatchd: no file was written: add --force to replace files that differ\n"
	if code != 1 || stderr != want || stdout != "" {
		t.Errorf("code %d, got\n%s%swant\n%s", code, stderr, stdout, want)
	}
	if !maps.Equal(transcripttest.ReadTree(t, dir), before) {
		t.Error("files were changed")
	}
	stdout, stderr, code = p.run(t, "dashboards", "--out="+dir, "--force")
	if code != 0 || !strings.HasPrefix(stdout, "Wrote 3 files to "+dir+"; 14 were up to date.\n") {
		t.Errorf("code %d, got\n%s%s", code, stderr, stdout)
	}
	if !maps.Equal(transcripttest.ReadTree(t, dir), monitoring()) {
		t.Error("after --force, the files differ from those in the program")
	}
}

// A file that cannot be written leaves no temporary file behind.
func TestWriteAtomically(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	makeDir(t, filepath.Join(taken, "by a directory"))
	if err := writeAtomically(taken, "text"); err == nil {
		t.Error("a directory was replaced")
	}
	if err := writeAtomically(filepath.Join(dir, "new", "file"), "text"); err != nil {
		t.Error(err)
	}
	if got := filetest.Names(t, dir); !slices.Equal(got, []string{"new", "taken"}) {
		t.Errorf("got directory entries %q", got)
	}
	if got := transcripttest.ReadTree(t, filepath.Join(dir, "new")); len(got) != 1 || got["file"] != "text" {
		t.Errorf("got files %q", got)
	}
}
