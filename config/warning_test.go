package config

import (
	"errors"
	"testing"
)

// Probable mistakes are valid, and stated with their lines.
func TestWarnings(t *testing.T) {
	dir := realTempDir(t)
	mkdir(t, dir, ".claude/projects", "copy/projects", "team/ann/.claude/projects", "team/bob", "sessions/one")
	const (
		settings = "this is the directory of Claude Code's settings: add /projects, where its sessions are"
		missing  = "the directory does not exist: it is read as soon as it does"
		noPath   = "the URL has no path: servers usually receive at one, such as /api/v1/write"
		none     = "no directory matches the pattern"
		short    = "intervals.zero_window: 30s is below a minute, the default scrape interval of Prometheus, which may then never receive the 0"
	)
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"sources:", "- path: ~/.claude"}, "DIR/ccwatchd.yml:2: sources[0].path: " + settings},
		{[]string{"sources:", "- path: ~/missing/.claude/"}, "DIR/ccwatchd.yml:2: sources[0].path: " + settings},
		{[]string{"sources:", "- path: ~/copy"}, "DIR/ccwatchd.yml:2: sources[0].path: " + settings},
		{[]string{"sources:", "- path: ~/team/*/.claude"}, "DIR/ccwatchd.yml:2: sources[0].path: " + settings},
		{[]string{"sources:", "- path: ~/.claude/projects", "- path: ~/team/*/.claude/projects", "- path: ~/sessions"}, ""},
		{[]string{"sources:", "- path: ~/sessions", "- path: ~/missing"}, "DIR/ccwatchd.yml:3: sources[1].path: " + missing},
		{[]string{"remote_write:", "- url: https://ann:hush@push.example.com"}, "DIR/ccwatchd.yml:2: remote_write[0].url: " + noPath},
		{[]string{"remote_write:", "- url: https://push.example.com/api/v1/write", "- name: b", "  url: https://push.example.com/?tenant=a"}, "DIR/ccwatchd.yml:4: remote_write[1].url: " + noPath},
		{[]string{"sources:", "- path: ~/sessions", "- labels: {user: '{1}'}", "  path: ~/teams/*/.claude/projects"}, "DIR/ccwatchd.yml:4: sources[1].path: " + none},
		{[]string{"limits: {watches: 1}", "intervals:", "  zero_window: 30s"}, "DIR/ccwatchd.yml:3: " + short},
		{[]string{"intervals:", "  zero_window: 1m"}, ""},
		{[]string{"intervals:", "  zero_window: 0s"}, ""}, // off
		{[]string{"history: off"}, ""},
	} {
		file := write(t, dir, test.lines...)
		c, err := Load(file, environ(dir))
		if err != nil {
			t.Errorf("%q: %v", test.lines, err)
			continue
		}
		if got := message(errors.Join(c.Warnings(file)...), dir); got != test.want {
			t.Errorf("%q: got %s, want %s", test.lines, got, test.want)
		}
	}
	c, err := Load("", environ(dir))
	if err != nil || len(c.Warnings("")) > 0 {
		t.Errorf("without a file: got %v, %v", c.Warnings(""), err)
	}
}
