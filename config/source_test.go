package config

import (
	"path/filepath"
	"reflect"
	"testing"
)

func TestDefaultSources(t *testing.T) {
	dir := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	for _, test := range []struct {
		name string
		env  func(string) string
		want []string
	}{
		{"home", environ(dir), []string{at(".claude", "projects"), at(".config", "claude", "projects")}},
		{"home and XDG", environ(dir, "XDG_CONFIG_HOME", at("xdg")), []string{at(".claude", "projects"), at("xdg", "claude", "projects")}},
		{"home and relative XDG", environ(dir, "XDG_CONFIG_HOME", "xdg"), []string{at(".claude", "projects"), at(".config", "claude", "projects")}},
		{"XDG alone", environ("", "XDG_CONFIG_HOME", at("xdg")), []string{at("xdg", "claude", "projects")}},
		{"CLAUDE_CONFIG_DIR", environ(dir, "CLAUDE_CONFIG_DIR", at("a")), []string{at("a", "projects")}},
		{"CLAUDE_CONFIG_DIR with several", environ("", "CLAUDE_CONFIG_DIR", " "+at("a")+"/ ,,"+at("b")), []string{at("a", "projects"), at("b", "projects")}},
		{"CLAUDE_CONFIG_DIR with ~", environ(dir, "CLAUDE_CONFIG_DIR", "~/a,~"), []string{at("a", "projects"), at("projects")}},
		{"empty CLAUDE_CONFIG_DIR", environ(dir, "CLAUDE_CONFIG_DIR", " , "), []string{at(".claude", "projects"), at(".config", "claude", "projects")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Settings()
			var err error
			if c.Sources, err = defaultSources("linux", test.env); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range c.Sources {
				got = append(got, s.Path)
				if s.Labels != nil {
					t.Errorf("%s has labels %v", s.Path, s.Labels)
				}
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if err := c.Validate(); err != nil {
				t.Errorf("invalid: %v", err)
			}
		})
	}
}

func TestDefaultErrors(t *testing.T) {
	noHome := "no home directory is known: set " + homeVariable() + " or CLAUDE_CONFIG_DIR, or name the sources in a configuration file"
	for _, test := range []struct {
		name string
		env  func(string) string
		want string
	}{
		{"nothing set", environ(""), noHome},
		{"relative XDG alone", environ("", "XDG_CONFIG_HOME", "xdg"), noHome},
		{"unknown home", environ("", "CLAUDE_CONFIG_DIR", "~/a"), "read CLAUDE_CONFIG_DIR: ~ cannot be expanded: $" + homeVariable() + " is not set"},
		{"another user's home", environ("/h", "CLAUDE_CONFIG_DIR", "~bob/a"), "read CLAUDE_CONFIG_DIR: ~ with a user name is not supported: use the full path"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if c, err := Default(test.env); err == nil || err.Error() != test.want || c != nil {
				t.Errorf("got  %v, %v\nwant %s", c, err, test.want)
			}
		})
	}
}

func TestDefaultIsFresh(t *testing.T) {
	a, b := Settings(), Settings()
	a.Buckets["turn_seconds"][0] = 99
	if b.Buckets["turn_seconds"][0] == 99 {
		t.Error("two configurations share buckets")
	}
}

func TestExpandSources(t *testing.T) {
	home := t.TempDir()
	env := environ(home, "DIR", filepath.FromSlash("/data/x"), "NAME", "n")
	for _, test := range []struct{ path, want string }{
		{"~", home},
		{"~/a/../b/", filepath.Join(home, "b")},
		{"$DIR/a", filepath.FromSlash("/data/x/a")},
		{"${DIR}/a-$NAME-${NAME}s", filepath.FromSlash("/data/x/a-n-ns")},
		{"/a/$$NAME", filepath.FromSlash("/a/$NAME")},
		{"/a/b~c", filepath.FromSlash("/a/b~c")},
		{"/home/*/x", filepath.FromSlash("/home/*/x")},
		{"", ""},
	} {
		sources := []Source{{Path: test.path}}
		if found := expandSources(sources, env); len(found) > 0 {
			t.Errorf("%q: %v", test.path, found.join(""))
		}
		if sources[0].Path != test.want {
			t.Errorf("%q: got %q, want %q", test.path, sources[0].Path, test.want)
		}
	}
}
