package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A system service reads directories that match a pattern. If a user replaces a match
// by a link to /, the service still reads the other directories, and logs each change
// once.
func TestLinkToEverything(t *testing.T) {
	home := t.TempDir()
	for _, user := range []string{"alice", "bob"} {
		if err := os.MkdirAll(filepath.Join(home, user, ".claude", "projects"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Settings()
	cfg.Sources = []config.Source{{Path: filepath.Join(home, "*", ".claude", "projects"), Labels: map[string]string{"user": "{1}"}}}
	var text polltest.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	settings, err := settingsOf(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	check := func(warnings int, users ...string) {
		t.Helper()
		var got []string
		for _, s := range settings.Sources() {
			got = append(got, s.Labels["user"])
			if s.Base != home {
				t.Errorf("got base %s, want %s", s.Base, home)
			}
		}
		if strings.Join(got, " ") != strings.Join(users, " ") {
			t.Errorf("got sources of %q, want %q", got, users)
		}
		if n := strings.Count(text.String(), "level=WARN msg=\"Skipping a directory that a source matches\" err="); n != warnings {
			t.Errorf("got %d warnings, want %d: %s", n, warnings, text.String())
		}
	}
	check(0, "alice", "bob")
	projects := filepath.Join(home, "alice", ".claude", "projects")
	if err := os.Remove(projects); err != nil {
		t.Fatal(err)
	}
	root := filepath.VolumeName(home) + string(filepath.Separator)
	for i := range 2 {
		symlink(t, root, projects)
		check(i+1, "bob")
		check(i+1, "bob")
		if _, err := settingsOf(cfg, log); err != nil {
			t.Errorf("a start fails: %v", err)
		}
		if err := os.Remove(projects); err != nil {
			t.Fatal(err)
		}
		check(i+1, "bob")
	}
}
