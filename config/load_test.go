package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

func TestLoadDefaults(t *testing.T) {
	dir := t.TempDir()
	env := environ(dir)
	want, err := Default(env)
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, path string) {
		t.Helper()
		if got, err := Load(path, env); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\n%s", err, difftest.Diff(want, got))
		}
	}
	check(t, "")
	for name, text := range map[string]string{
		"empty":             "",
		"only comments":     "# nothing\n\n# at all",
		"an empty document": "---",
		"null":              "null",
		"an empty mapping":  "{}",
		"empty sections":    "sources:\nlabels:\n  project:\n  max_values:\nbuckets:\nintervals:\n  scan:\nlimits:\nretention:\nhistory:\npricing:\n  models:",
		"a byte order mark": "\uFEFF# nothing",
		"an end marker":     "{}\n...",
		"an alias as a key": "labels: {&p project: {}, max_values: {*p : 100}}",
	} {
		t.Run(name, func(t *testing.T) { check(t, write(t, t.TempDir(), text)) })
	}
}

func TestLoadEverything(t *testing.T) {
	dir := realTempDir(t)
	mkdir(t, dir, "a", "room/b")
	path := write(t, dir,
		"sources:",
		"  - path: ~/a",
		"    labels: {user: alice, seat: 7}",
		"  - path: ${ROOM}/b",
		"labels:",
		"  project:",
		"    naming: path",
		"    map:",
		"      - match: '/src/(.*)'",
		"        name: '$1'",
		"  commands: [/deploy, 'team:release']",
		"  max_values: {model: 1, project: 2, tool: 3, mcp_server: 4, command: 5, status: 6, stop_reason: 7, error: 8, trigger: 9, session: 0, agent_type: 10, skill: 12, plugin: 13, window: 11}",
		"  max_series_per_family: 11",
		"buckets:",
		"  tool_duration_seconds: [1, 2.5]",
		"  turn_duration_seconds: [10]",
		"  turn_seconds: [20]",
		"  turn_requests: [3, 30]",
		"  turn_tool_calls: [0, 40]",
		"  compaction_pre_tokens: [1e5, 200000]",
		"  request_duration_seconds: [4]",
		"  request_first_block_seconds: [5]",
		"  compaction_duration_seconds: [6]",
		"  session_duration_seconds: [7]",
		"  session_prompts: [8]",
		"  session_requests: [9]",
		"  request_context_tokens: [7e4]",
		"  request_output_tokens: [500, 600]",
		"  hook_duration_seconds: [0.5]",
		"  subagent_duration_seconds: [50]",
		"intervals: {scan: 1m, poll: 500ms, message_timeout: 1h30m, checkpoint: 2m, sync: 1s, zero_window: 0s, session_active: 1w}",
		"limits:",
		"  line_size: 8 MiB",
		"  watches: 0",
		"  dedup_keys: 10000",
		"retention:",
		"  dedup_keys: 90d",
		"history: {detailed_for: 30d}",
		"time_zone: Asia/Tokyo",
		"statusline: {accept_limits: true}",
	)
	got, err := Load(path, environ(dir, "ROOM", filepath.Join(dir, "room")))
	if err != nil {
		t.Fatal(err)
	}
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Sources: []Source{
			{Path: filepath.Join(dir, "a"), Labels: map[string]string{"user": "alice", "seat": "7"}},
			{Path: filepath.Join(dir, "room", "b")},
		},
		Labels: Labels{
			Projects: Projects{Naming: ByPath, Map: []Rule{{Match: pattern(t, "/src/(.*)"), Name: "$1"}}},
			Commands: []string{"deploy", "team:release"},
			MaxValues: MaxValues{
				"model": 1, "project": 2, "tool": 3, "mcp_server": 4, "command": 5, "status": 6, "stop_reason": 7,
				"error": 8, "trigger": 9, "session": 0, "agent_type": 10, "skill": 12, "plugin": 13, "window": 11,
			},
			MaxSeries: 11,
		},
		Buckets: Buckets{
			"tool_duration_seconds":       {1, 2.5},
			"turn_duration_seconds":       {10},
			"turn_seconds":                {20},
			"turn_requests":               {3, 30},
			"turn_tool_calls":             {0, 40},
			"compaction_pre_tokens":       {100000, 200000},
			"request_duration_seconds":    {4},
			"request_first_block_seconds": {5},
			"compaction_duration_seconds": {6},
			"session_duration_seconds":    {7},
			"session_prompts":             {8},
			"session_requests":            {9},
			"request_context_tokens":      {70000},
			"request_output_tokens":       {500, 600},
			"hook_duration_seconds":       {0.5},
			"subagent_duration_seconds":   {50},
		},
		Intervals: Intervals{
			Scan: Duration(time.Minute), Poll: Duration(500 * time.Millisecond), MessageTimeout: Duration(90 * time.Minute),
			Checkpoint: Duration(2 * time.Minute), Sync: Duration(time.Second), SessionActive: Duration(7 * 24 * time.Hour),
		},
		Limits:     Limits{LineSize: 8 << 20, DedupKeys: 10_000},
		Retention:  Retention{DedupKeys: Duration(90 * 24 * time.Hour)},
		History:    History{DetailedFor: Duration(30 * 24 * time.Hour)},
		TimeZone:   TimeZone{tokyo},
		StatusLine: StatusLine{AcceptLimits: new(true)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the configuration differs:\n%s", difftest.Diff(want, got))
	}
}

func TestLoadKeepsOtherDefaults(t *testing.T) {
	c, err := Load(write(t, t.TempDir(), "labels: {max_values: {model: 3}}", "intervals: {scan: 5s}"), environ(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	want := Settings()
	want.Labels.MaxValues["model"] = 3
	want.Intervals.Scan = Duration(5 * time.Second)
	want.Sources = c.Sources
	if !reflect.DeepEqual(c, want) {
		t.Errorf("the configuration differs:\n%s", difftest.Diff(want, c))
	}
}

func TestLoadWithoutHome(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"# nothing": "DIR/ccwatchd.yml: sources: no home directory is known: set " + homeVariable() +
			" or CLAUDE_CONFIG_DIR, or name the sources in a configuration file",
		"sources:\n- path: ~/x":           "DIR/ccwatchd.yml:2: sources[0].path: ~ cannot be expanded: $" + homeVariable() + " is not set",
		"sources:\n- path: '" + dir + "'": "",
	} {
		c, err := Load(write(t, dir, text), environ(""))
		if got := message(err, dir); got != want {
			t.Errorf("%s\ngot error  %s\nwant error %s", text, got, want)
		}
		if sources := []Source{{Path: dir}}; want == "" && !reflect.DeepEqual(c.Sources, sources) {
			t.Errorf("%s\ngot sources %v, want %v", text, c.Sources, sources)
		}
	}
}

func TestLoadUnreadable(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(filepath.Join(dir, "none.yml"), environ(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: got %v", err)
	}
	if _, err := Load(dir, environ(dir)); err == nil || !strings.HasPrefix(err.Error(), "read configuration: ") {
		t.Errorf("a directory: got %v", err)
	}
}
