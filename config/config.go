package config

import "time"

// A Config is everything that can be set. Default fills it.
type Config struct {
	// Sources are the directories to read. Without any in the file they are
	// those of Claude Code itself, see Default.
	Sources []Source `yaml:"sources"`
	// Labels say what the values of labels are.
	Labels Labels `yaml:"labels"`
	// Buckets are the upper bounds of the histograms.
	Buckets Buckets `yaml:"buckets"`
	// Intervals say when and how often things are done.
	Intervals Intervals `yaml:"intervals"`
	// Limits bound what the daemon takes of the machine.
	Limits Limits `yaml:"limits"`
	// Retention says for how long something is remembered.
	Retention Retention `yaml:"retention"`
	// RemoteWrite are the servers that everything is sent to; nobody, unless the
	// file names some.
	RemoteWrite []RemoteWrite `yaml:"remote_write"`
}

// A Source is a directory, or a pattern for several, and the labels of
// everything that is read from there.
type Source struct {
	// Path is the directory. Every transcript below it is read, at any depth. In
	// the file a leading ~ stands for the home directory, $NAME and ${NAME} for
	// a variable of the environment, and $$ for a dollar sign; in a loaded Config
	// they are expanded. The pattern * stands for anything within one name and ?
	// for one character of it. A path without either need not exist yet.
	Path string `yaml:"path"`
	// Labels are added to every series of what is read here. In their values {1}
	// is what the first * of Path stands for, {2} the second, and so on.
	Labels map[string]string `yaml:"labels"`
	// Literal says that Path is no pattern, whatever characters are in it. It is
	// for a directory that is there already, as on a command line.
	Literal bool `yaml:"-"`
}

// Labels say what the values of labels are.
//
// Its methods remember what they answered and are not safe for use by several
// goroutines at once.
type Labels struct {
	// Projects says how a project is called, from the working directory.
	Projects Projects `yaml:"project"`
	// Commands are the slash commands that are shown by name beside those that
	// are built into Claude Code, with or without the slash; "*" is all of them.
	// The others are Custom.
	Commands []string `yaml:"commands"`
	// MaxValues are the numbers of values that labels may have.
	MaxValues MaxValues `yaml:"max_values"`
	// MaxSeries is the number of series that a family may have from each source.
	// In further combinations every capped label has the value "other".
	MaxSeries Count `yaml:"max_series_per_family"`

	names map[string]string // of projects, by working directory
}

// Projects says how a project is called, from the working directory.
type Projects struct {
	// Naming is what a project is called that no rule names.
	Naming Naming `yaml:"naming"`
	// Map is rules of which the first that matches names the project.
	Map []Rule `yaml:"map"`
}

// A Naming is a way to make a project's name of its directory.
type Naming string

// The ways to name a project.
const (
	ByName Naming = "name" // the last element of the directory
	ByPath Naming = "path" // the whole directory
	NoName Naming = "none" // the empty string, for every project
)

// A Rule names the projects in directories of one shape.
type Rule struct {
	// Match must match the directory from its beginning to its end.
	Match Pattern `yaml:"match"`
	// Name is the project's name. $1 and ${1} in it stand for what the first
	// group of Match matched, $name and ${name} for the group of that name. If
	// it comes out empty, the rule does not match.
	Name string `yaml:"name"`
}

// MaxValues are the numbers of different values that labels may have; what
// comes after that many is counted under the value "other". With 0 everything
// is, and no session is shown.
type MaxValues struct {
	Model      Count `yaml:"model"`
	Project    Count `yaml:"project"`
	Tool       Count `yaml:"tool"`
	MCPServer  Count `yaml:"mcp_server"`
	Command    Count `yaml:"command"`
	Status     Count `yaml:"status"`
	StopReason Count `yaml:"stop_reason"`
	Error      Count `yaml:"error"`
	Trigger    Count `yaml:"trigger"`
	// Session is how many live sessions are shown each on its own.
	Session Count `yaml:"session"`
}

// ByLabel returns the numbers by the names of the labels.
func (m MaxValues) ByLabel() map[string]int {
	return map[string]int{
		"model": int(m.Model), "project": int(m.Project), "tool": int(m.Tool), "mcp_server": int(m.MCPServer),
		"command": int(m.Command), "status": int(m.Status), "stop_reason": int(m.StopReason),
		"error": int(m.Error), "trigger": int(m.Trigger), "session": int(m.Session),
	}
}

// reserved are the labels that the metrics have themselves, and those of
// histograms and summaries.
var reserved = []string{
	"agent", "change", "command", "error", "kind", "label", "le", "mcp_server", "model", "operation",
	"project", "quantile", "reason", "result", "session", "status", "stop_reason", "tool", "trigger", "type",
}

// Buckets are the upper bounds of the histograms, in increasing order and
// without the infinite one.
type Buckets struct {
	ToolDuration        []float64 `yaml:"tool_duration_seconds"`
	TurnDuration        []float64 `yaml:"turn_duration_seconds"`
	CompactionPreTokens []float64 `yaml:"compaction_pre_tokens"`
}

// ByFamily returns the bounds by the names of the histograms.
func (b Buckets) ByFamily() map[string][]float64 {
	return map[string][]float64{
		"claude_tool_duration_seconds": b.ToolDuration,
		"claude_turn_duration_seconds": b.TurnDuration,
		"claude_compaction_pre_tokens": b.CompactionPreTokens,
	}
}

// Intervals say when and how often things are done.
type Intervals struct {
	// Scan is how often all directories are walked, whatever events tell. It
	// is up to ten times less often where there are very many files.
	Scan Duration `yaml:"scan"`
	// Poll is how often files are looked at where there are no events.
	Poll Duration `yaml:"poll"`
	// MessageTimeout is how long a file must be unchanged before a message without
	// a final line is counted.
	MessageTimeout Duration `yaml:"message_timeout"`
	// Checkpoint is how often the state is saved at most. It is saved when the
	// journal of its changes has become a quarter as long as it is, and at least
	// a MiB; ahead of time only when it has become as long as the state.
	Checkpoint Duration `yaml:"checkpoint"`
	// Sync is how long what was counted may stay in the memory of the operating
	// system before it is forced to the disk. It bounds what a power failure can
	// undo; a crash of the daemon undoes nothing.
	Sync Duration `yaml:"sync"`
	// ZeroWindow is how long a new series is exposed as 0 before it has its value. It
	// must be longer than the interval between two scrapes. With 0 a series begins
	// with its value.
	ZeroWindow Duration `yaml:"zero_window"`
	// SessionActive is how long after its last line a session counts as live.
	SessionActive Duration `yaml:"session_active"`
}

// Limits bound what the daemon takes of the machine.
type Limits struct {
	// LineSize is the length of the longest line that is read; longer ones are
	// skipped and counted.
	LineSize Size `yaml:"line_size"`
	// Watches is how many directories may be watched for events. The rest, or
	// all with 0, is polled.
	Watches Count `yaml:"watches"`
}

// Retention says for how long something is remembered.
type Retention struct {
	// DedupKeys is how long the keys of a deleted file are kept, so that nothing in
	// it is counted again if the file, or a copy, comes back.
	DedupKeys Duration `yaml:"dedup_keys"`
}

// Default returns the configuration without a file. Its sources are the
// directories "projects" in every entry of $CLAUDE_CONFIG_DIR, a list with
// commas, or if that is not set in ~/.claude and in $XDG_CONFIG_HOME/claude
// (~/.config/claude). They need not exist. It is an error if the environment
// names no directory at all.
//
// env is os.Getenv, or stands for it.
func Default(env func(string) string) (*Config, error) {
	sources, err := defaultSources(env)
	if err != nil {
		return nil, err
	}
	c := Settings()
	c.Sources = sources
	return c, nil
}

// Settings returns the defaults of everything but the sources, of which there
// are none.
func Settings() *Config {
	return &Config{
		Labels: Labels{
			Projects: Projects{Naming: ByName},
			MaxValues: MaxValues{
				Model: 64, Project: 100, Tool: 200, MCPServer: 100, Command: 100,
				Status: 32, StopReason: 16, Error: 32, Trigger: 8, Session: 200,
			},
			MaxSeries: 10_000,
		},
		Buckets: Buckets{
			ToolDuration:        []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600},
			TurnDuration:        []float64{5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 36000},
			CompactionPreTokens: []float64{25e3, 50e3, 100e3, 150e3, 170e3, 180e3, 200e3, 300e3, 500e3, 750e3, 1e6},
		},
		Intervals: Intervals{
			Scan:           Duration(30 * time.Second),
			Poll:           Duration(time.Second),
			MessageTimeout: Duration(10 * time.Minute),
			Checkpoint:     Duration(10 * time.Minute),
			Sync:           Duration(2 * time.Second),
			ZeroWindow:     Duration(90 * time.Second),
			SessionActive:  Duration(5 * time.Minute),
		},
		Limits:    Limits{LineSize: 64 << 20, Watches: 8192},
		Retention: Retention{DedupKeys: Duration(60 * 24 * time.Hour)},
	}
}
