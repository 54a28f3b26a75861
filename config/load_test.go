package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
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
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
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
		"  max_values: {model: 1, project: 2, tool: 3, mcp_server: 4, command: 5, status: 6, stop_reason: 7, error: 8, trigger: 9, session: 0, agent_type: 10, skill: 12, plugin: 13}",
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
		"  poll_cores: 0.01",
		"retention:",
		"  dedup_keys: 90d",
		"history: {detailed_for: 30d}",
		"statusline: {accept_limits: true}",
	)
	got, err := Load(path, environ(dir, "ROOM", filepath.Join(dir, "room")))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Sources: []Source{
			{Path: filepath.Join(dir, "a"), Labels: map[string]string{"user": "alice", "seat": "7"}},
			{Path: filepath.Join(dir, "room", "b")},
		},
		Labels: Labels{
			Projects:  Projects{Naming: ByPath, Map: []Rule{{Match: pattern(t, "/src/(.*)"), Name: "$1"}}},
			Commands:  []string{"deploy", "team:release"},
			MaxValues: MaxValues{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 0},
			MaxSeries: 11,
		},
		Buckets: Buckets{
			ToolDuration:        []float64{1, 2.5},
			TurnDuration:        []float64{10},
			TurnSeconds:         []float64{20},
			TurnRequests:        []float64{3, 30},
			TurnToolCalls:       []float64{0, 40},
			CompactionPreTokens: []float64{100000, 200000},
			RequestDuration:     []float64{4},
			RequestFirstBlock:   []float64{5},
			CompactionDuration:  []float64{6},
			SessionDuration:     []float64{7},
			SessionPrompts:      []float64{8},
			SessionRequests:     []float64{9},
			RequestContext:      []float64{70000},
			RequestOutput:       []float64{500, 600},
			HookDuration:        []float64{0.5},
			SubagentDuration:    []float64{50},
		},
		Intervals: Intervals{
			Scan: Duration(time.Minute), Poll: Duration(500 * time.Millisecond), MessageTimeout: Duration(90 * time.Minute),
			Checkpoint: Duration(2 * time.Minute), Sync: Duration(time.Second), SessionActive: Duration(7 * 24 * time.Hour),
		},
		Limits:     Limits{LineSize: 8 << 20, PollCores: 0.01},
		Retention:  Retention{DedupKeys: Duration(90 * 24 * time.Hour)},
		History:    History{DetailedFor: Duration(30 * 24 * time.Hour)},
		StatusLine: StatusLine{AcceptLimits: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestLoadKeepsOtherDefaults(t *testing.T) {
	c, err := Load(write(t, t.TempDir(), "labels: {max_values: {model: 3}}", "intervals: {scan: 5s}"), environ(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	want := Settings()
	want.Labels.MaxValues.Model = 3
	want.Intervals.Scan = Duration(5 * time.Second)
	want.Sources = c.Sources
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
}

func TestLoadErrors(t *testing.T) {
	testLoadErrors(t, []loadError{
		{"unknown key at the top", "\n\nsorces: []", `:3: unknown key "sorces", expected one of buckets, history, intervals, labels, limits, pricing, remote_write, retention, sources, statusline`},
		{"unknown nested key", "labels:\n  project:\n    nameing: path", `:3: unknown key "nameing" in labels.project, expected one of map, naming`},
		{"unknown key in a source", "sources:\n- path: /x\n  label: {a: b}", `:3: unknown key "label" in sources[0], expected one of labels, path`},
		{"unknown key in a rule", "labels: {project: {map: [{regex: x}]}}", `:1: unknown key "regex" in labels.project.map[0], expected one of match, name`},
		{"unknown label", "labels:\n  max_values:\n    user: 3", `:3: unknown key "user" in labels.max_values, expected one of agent_type, command, error, mcp_server, model, plugin, project, session, skill, status, stop_reason, tool, trigger`},
		{"unknown key with special characters", "labels: {'a: \"b\" not found in type config.X': 1}", `:1: unknown key (not shown) in labels, expected one of commands, max_series_per_family, max_values, project`},
		{"duplicate key", "limits:\n  watches: 1\n  watches: 2", `:3: key "watches" already defined at line 2`},
		{"not a mapping", "- a", `:1: expected a mapping`},
		{"a string", "hello", `:1: expected a mapping`},
		{"a string for a number", "limits:\n  watches: many", `:2: limits.watches: expected a whole number`},
		{"a fraction for a number", "limits:\n  watches: 1.5", `:2: limits.watches: expected a whole number`},
		{"a string for a share", "limits:\n  poll_cores: 1%", `:2: limits.poll_cores: expected a number`},
		{"a number out of range", "limits:\n  watches: 99999999999999999999", `:2: limits.watches: expected a whole number`},
		{"a long string among buckets", "buckets:\n  turn_duration_seconds: [abcdefghijkl]", `:2: buckets.turn_duration_seconds[0]: expected a number`},
		{"a list for a string", "labels: {project: {naming: [a]}}", `:1: labels.project.naming: expected a string`},
		{"a number for a section", "intervals: 5", `:1: intervals: expected a mapping`},
		{"a mapping for a list", "sources: {path: /x}", `:1: sources: expected a list`},
		{"a string for a source", "sources: [/x]", `:1: sources[0]: expected a mapping`},
		{"a string for buckets", "buckets:\n  turn_duration_seconds: wide", `:2: buckets.turn_duration_seconds: expected a list`},
		{"a string among buckets", "buckets:\n  turn_duration_seconds:\n  - 1\n  - two", `:4: buckets.turn_duration_seconds[1]: expected a number`},
		{"a list for labels", "sources: [{path: /x, labels: [a]}]", `:1: sources[0].labels: expected a mapping`},
		{"a bare number for a duration", "intervals:\n  scan: 30", `:2: intervals.scan: expected a duration, such as 30s, 10m or 60d`},
		{"a list for a duration", "intervals:\n  scan: [30s]", `:2: intervals.scan: expected a duration, such as 30s, 10m or 60d`},
		{"an unknown unit", "limits:\n  line_size: 64 acres", `:2: limits.line_size: expected a size, such as 1048576, 10MB or 64MiB`},
		{"a mapping for a size", "limits:\n  line_size: {a: b}", `:2: limits.line_size: expected a size, such as 1048576, 10MB or 64MiB`},
		{"a broken pattern", "labels:\n  project:\n    map:\n    - match: '('\n      name: x", ":4: labels.project.map[0].match: compile pattern: error parsing regexp: missing closing ): `(`"},
		{"a list for a pattern", "labels: {project: {map: [{match: [a], name: x}]}}", `:1: labels.project.map[0].match: expected a regular expression`},
		{"an empty item", "sources:\n  -\n", `:2: empty list item`},
		{"two documents", "limits: {watches: 1}\n---\nlimits: {watches: 2}", `:2: expected a single YAML document`},
		{"a broken second document", "limits: {watches: 1}\n---\n[", `:3: did not find expected node content`},
		{"not YAML", "limits:\n\twatches: 1", `:2: found character that cannot start any token`},
		{"an unknown anchor", "limits: *there", `:1: an alias refers to an unknown anchor: put a text that begins with * in quotes`},
		{"a value out of range", "# one\nlimits:\n  watches: -1", `:3: limits.watches: -1 is not between 0 and 1048576`},
		{"a value out of range in a list", "labels:\n  commands:\n  - deploy\n  - a b", `:4: labels.commands[1]: invalid command name "a b"`},
		{"a value out of range in an anchor", "intervals: &a {scan: 1ms}\nlabels: {}", `:1: intervals.scan: 1ms is not between 1s and 1d`},
		{"a variable that is not set", "sources:\n- path: $NOPE/x/${NEVER}", ":2: sources[0].path: $NOPE is not set\n$NEVER is not set"},
		{"another user's home", "sources:\n- path: ~bob/x", ":2: sources[0].path: ~ with a user name is not supported: use the full path"},
		{
			"several", "sorces: []\nlimits: {watches: x}\nintervals: {scan: y}",
			`:1: unknown key "sorces", expected one of buckets, history, intervals, labels, limits, pricing, remote_write, retention, sources, statusline` + "\n" +
				`:2: limits.watches: expected a whole number` + "\n" +
				`:3: intervals.scan: expected a duration, such as 30s, 10m or 60d`,
		},
		{
			"several values", "sources:\n- path: $NOPE\nlimits:\n  watches: -1\nbuckets:\n  turn_duration_seconds: [2, 1, 0]",
			":2: sources[0].path: $NOPE is not set\n" +
				":6: buckets.turn_duration_seconds: 1 follows 2: bounds must increase\n" +
				":6: buckets.turn_duration_seconds: 0 follows 1: bounds must increase\n" +
				":4: limits.watches: -1 is not between 0 and 1048576",
		},
		{
			"a value by an alias", "buckets:\n  tool_duration_seconds: &b [2, 1]\n  turn_duration_seconds: *b",
			":2: buckets.tool_duration_seconds: 1 follows 2: bounds must increase\n" +
				":3: buckets.turn_duration_seconds: 1 follows 2: bounds must increase",
		},
		{
			"a value in an alias", "sources:\n- &s\n  path: ~/x\n  labels: {user: '{1}'}\n- *s",
			":4: sources[0].labels.user: {1} has no corresponding * in the path\n" +
				":4: sources[1].labels.user: {1} has no corresponding * in the path",
		},
		{"a missing value", "sources:\n- labels: {}", ":2: sources[0].path: missing"},
		{
			"a key with a dot", "sources:\n- path: ~/x\n  labels:\n    a.b: c",
			`:3: sources[0].labels: invalid label name "a.b": use letters, digits and underscores, and no digit at the beginning`,
		},
	})
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
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if sources := []Source{{Path: dir}}; want == "" && !reflect.DeepEqual(c.Sources, sources) {
			t.Errorf("got %v, want %v", c.Sources, sources)
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
