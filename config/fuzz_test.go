package config

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// Every file results in a valid configuration, or in problems with only texts of this
// package.
func FuzzLoad(f *testing.F) {
	example, err := os.ReadFile(exampleFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.ReplaceAll(example, []byte("\n# "), []byte("\n")))
	for _, text := range []string{
		"", "---\n---", "a: &a [*a]", "&a limits: *a", "<<: {limits: {watches: 3}}", "limits: &a {<<: *a, x: 1}", "remote_write: [{headers: x, oauth2: {claims: {a: &b [*b]}}}]", "? [a]\n: b", "limits: !!binary aGk=",
		"sources: [{path: /x, labels: {user: '{1}'}}, {path: ~/y}, {path: $HOME}]", "labels: {project: {map: [{match: '(a)', name: '$1'}]}}",
		"labels: {commands: [/a, '*'], max_values: {model: 1e3}}", "buckets: {turn_duration_seconds: [.nan, .inf, 0x1]}",
		"intervals: {scan: 1h30m, poll: 99999999999999999999d}", "limits: {line_size: 99999999999GiB}", "pricing: off", "pricing: {multiplier: 0.85, models: [{model: claude-opus-5, multiplier: 1.1, until: 2026-01-02}, {model: m, multiplier: 2}]}", "pricing: {models: [{model: [a, b], from: 2026-01-01, until: 2026-01-02, fast: 2}]}",
		"pricing: {models: [&m {model: a, until: 2026-01-31, input: 1, cache_write_5m: 1.25, cache_write_1h: 2, cache_read: 0.1, output: 5, long_prompt: &r {above: 9, input: 2, cache_write_5m: 3, cache_write_1h: 4, cache_read: 5, output: 6}}, {<<: *m, model: b, until: null}]}", "[{[", "\xff", "\x00", "a: b: c",
	} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	env := environ(dir)
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("path")) && bytes.ContainsAny(data, "*?") {
			t.Skip("a pattern may match the whole file system")
		}
		c, found := parse(data, dir, env)
		if len(found) > 0 {
			for _, p := range found {
				if p.Error() == "" || strings.HasPrefix(p.Error(), "yaml:") {
					t.Errorf("got an error that is empty or from the YAML library: %q", p)
				}
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("loaded an invalid configuration: %v", err)
		}
		if prices, err := c.Pricing.Table(); err != nil || (prices == nil) != c.Pricing.Off {
			t.Errorf("got prices %v, %v", prices, err)
		}
		for _, cwd := range []string{"", "/", "/a/b", `C:\x`} {
			if first, again := c.Labels.Project(cwd), c.Labels.Project(cwd); first != again {
				t.Errorf("%q: got %q and then %q", cwd, first, again)
			}
		}
	})
}

// Every directory has a name, and a worktree has its checkout's name.
func FuzzProject(f *testing.F) {
	for _, cwd := range []string{"/", "/a/b/", `C:\a\b`, `\\s\x`, "/a/.worktrees/b", `C:\a\.claude\worktrees\b\c`, "a:", `\`, "/.worktrees/", "\xff"} {
		f.Add(cwd)
	}
	f.Fuzz(func(t *testing.T, cwd string) {
		p := Projects{Naming: ByName}
		name := p.name(cwd)
		if (name == "") != (cwd == "") {
			t.Errorf("%q: got %q", cwd, name)
		}
		if cwd == "" || strings.Contains(cwd, "worktrees") {
			return
		}
		for _, below := range []string{"/.worktrees/x", "/.claude/worktrees/x/y/"} {
			if got := p.name(cwd + below); got != name {
				t.Errorf("%q: got %q, want %q as for %q", cwd+below, got, name, cwd)
			}
		}
	})
}
