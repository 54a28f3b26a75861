package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// The sessions of Cowork are found without a configuration, each in its directory.
// Sessions in other directories and on other systems are not found.
func TestCowork(t *testing.T) {
	home := t.TempDir()
	for _, data := range []string{"Library/Application Support", "AppData/Roaming", "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming", "roaming"} {
		for _, session := range []string{"org/account/local_1", "org/account/local_2", "org/account/other"} {
			dir := filepath.Join(home, filepath.FromSlash(data), "Claude", "local-agent-mode-sessions", filepath.FromSlash(session))
			mkdir(t, dir, ".claude/projects/-sessions-x")
			filetest.Write(t, filepath.Join(dir, "audit.jsonl"), "")
		}
	}
	for _, test := range []struct {
		name, system string
		env          func(string) string
		want         []string // data directories of applications
	}{
		{"macOS", "darwin", environ(home), []string{"Library/Application Support"}},
		{"Windows", "windows", environ(home), []string{"AppData/Roaming", "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming"}},
		{"Windows with a roaming profile", "windows", environ(home, "APPDATA", filepath.Join(home, "roaming"), "LOCALAPPDATA", filepath.Join(home, "local")), []string{"roaming"}},
		{"a directory of Claude Code", "darwin", environ(home, "CLAUDE_CONFIG_DIR", filepath.Join(home, ".claude")), []string{"Library/Application Support"}},
		{"no home", "darwin", environ("", "CLAUDE_CONFIG_DIR", filepath.Join(home, ".claude")), nil},
		{"Linux", "linux", environ(home), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Settings()
			var err error
			if c.Sources, err = defaultSources(test.system, test.env); err != nil {
				t.Fatal(err)
			}
			if err := c.Validate(); err != nil {
				t.Errorf("invalid: %v", err)
			}
			roots, _, err := c.Roots()
			if err != nil {
				t.Fatal(err)
			}
			var got, want []Root
			for _, r := range roots {
				if strings.Contains(r.Path, "local-agent-mode-sessions") {
					got = append(got, r)
				}
			}
			for _, data := range test.want {
				for _, session := range []string{"local_1", "local_2"} {
					base := filepath.Join(home, filepath.FromSlash(data), "Claude", "local-agent-mode-sessions")
					path := filepath.Join(base, "org", "account", session, ".claude", "projects")
					if before, _, ok := strings.Cut(base, "Claude_"); ok { // a pattern, too
						base = filepath.Clean(before)
					}
					want = append(want, Root{path, base, map[string]string{"client": "cowork"}})
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
