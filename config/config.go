package config

import (
	"runtime"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A Config contains all settings.
type Config struct {
	// Sources are the directories to read. The default is Claude Code's directories,
	// see Default.
	Sources []Source `yaml:"sources"`
	// Labels configure the values of labels.
	Labels Labels `yaml:"labels"`
	// Buckets are the upper bounds of the histograms.
	Buckets Buckets `yaml:"buckets"`
	// Intervals are the times between actions, and timeouts.
	Intervals Intervals `yaml:"intervals"`
	// Limits bound the use of memory and of the operating system's resources.
	Limits Limits `yaml:"limits"`
	// Retention is how long data is kept.
	Retention Retention `yaml:"retention"`
	// History is the record of when counters grew.
	History History `yaml:"history"`
	// Pricing are the prices for the cost metrics.
	Pricing Pricing `yaml:"pricing"`
	// TimeZone is the time zone that separates days on the page, and in requests that
	// state no time zone. The zero TimeZone is the local time zone.
	TimeZone TimeZone `yaml:"time_zone"`
	// StatusLine configures which data "ccwatchd statusline" may hand over.
	StatusLine StatusLine `yaml:"statusline"`
	// RemoteWrite are the servers to send all metrics to, none by default.
	RemoteWrite []RemoteWrite `yaml:"remote_write"`

	warnings problems // see Warnings
}

// A Source is a directory or a pattern, and the labels of the series from it.
type Source struct {
	// Path is the directory. Every transcript below it is read, at any depth. In the
	// file, a leading ~ is the home directory, $NAME and ${NAME} are environment
	// variables, and $$ is a dollar sign; Load expands them. * matches any part of a
	// name and ? one character. A path without wildcards need not exist yet.
	Path string `yaml:"path"`
	// Labels are added to every series from this source. In their values {1} is the
	// text that the first * of Path matched, {2} the second, and so on.
	Labels map[string]string `yaml:"labels"`
	// PriceMultiplier multiplies all prices of requests from this source.
	PriceMultiplier *Multiplier `yaml:"price_multiplier"`
	// Literal disables patterns in Path, for an existing directory such as one on a
	// command line.
	Literal bool `yaml:"-"`
}

// Labels configure the values of labels. Its methods cache their results and are not
// safe for concurrent use.
type Labels struct {
	// Projects configure the names of projects.
	Projects Projects `yaml:"project"`
	// Commands are the slash commands to expose by name in addition to those built into
	// Claude Code, with or without the slash; "*" means all. Further commands are
	// Custom. The list also selects types of sub-agents, skills and plugins.
	Commands Strings `yaml:"commands"`
	// MaxValues limit the number of values of each label from each source.
	MaxValues MaxValues `yaml:"max_values"`
	// MaxSeries limits the number of exposed series of a family from each source. In
	// further combinations of labels every limited label has the value "other".
	MaxSeries int `yaml:"max_series_per_family"`

	projectNames map[string]string // by working directory
}

// Projects configure how the name of a project follows from the working directory.
type Projects struct {
	// Naming is used if no rule matches.
	Naming Naming `yaml:"naming"`
	// Map lists rules; the first matching rule names the project.
	Map []Rule `yaml:"map"`
}

// A Naming derives the name of a project from its directory.
type Naming string

// The ways to name a project.
const (
	ByName Naming = "name" // the last element of the directory
	ByPath Naming = "path" // the whole directory
	NoName Naming = "none" // the empty string, for every project
)

// A Rule names the projects in the directories that match a pattern.
type Rule struct {
	// Match must match the whole directory.
	Match Pattern `yaml:"match"`
	// Name is the project's name. In it $1 and ${1} are the first group of Match, and
	// $name and ${name} a named group. A rule that results in an empty name does not
	// match.
	Name string `yaml:"name"`
}

// MaxValues are the numbers of different values of a source by label. Further values
// are exposed as "other"; with 0 all values are, except for names of models in the
// built-in price list. "session" is the number of live sessions exposed individually; 0
// exposes none.
type MaxValues map[string]int

// isReserved reports whether a family, a histogram or a summary has the label.
func isReserved(label string) bool {
	if slices.Contains([]string{"le", "quantile", "query_source", "session", "version"}, label) {
		return true
	}
	return slices.ContainsFunc(ledger.Families(ledger.Options{}), func(f counters.Family) bool {
		return slices.Contains(f.Labels, label)
	})
}

// Buckets are the upper bounds of the histograms in increasing order, without +Inf, by
// the name of the histogram without "claude_".
type Buckets map[string][]float64

// ByFamily returns the bounds by the name of the histogram.
func (b Buckets) ByFamily() map[string][]float64 {
	bounds := make(map[string][]float64, len(b))
	for name, list := range b {
		bounds["claude_"+name] = list
	}
	return bounds
}

// Intervals are the times between actions, and timeouts.
type Intervals struct {
	// Scan is the interval between scans of all directories, whether or not there are
	// file events. With very many files it is up to ten times longer.
	Scan Duration `yaml:"scan"`
	// Poll is the interval between checks of recently written files and directories
	// without file events.
	Poll Duration `yaml:"poll"`
	// MessageTimeout is how long a file must be unchanged before a message without a
	// final line is counted.
	MessageTimeout Duration `yaml:"message_timeout"`
	// Checkpoint is the minimum time between snapshots of the state. A snapshot is
	// written when the journal since the last snapshot has reached a quarter of its
	// size, and at least a MiB; ahead of time only when the journal has reached the
	// size of the state.
	Checkpoint Duration `yaml:"checkpoint"`
	// Sync is the maximum time until counted data is synced to disk. A power failure
	// can undo that time; a crash of the daemon undoes nothing.
	Sync Duration `yaml:"sync"`
	// ZeroWindow is how long a new series is exposed as 0. It must be longer than the
	// scrape interval. With 0 a series begins with its value.
	ZeroWindow Duration `yaml:"zero_window"`
	// SessionActive is how long after its last line a session counts as live.
	SessionActive Duration `yaml:"session_active"`
}

// Limits bound the use of memory and of the operating system's resources.
type Limits struct {
	// LineSize is the length of the longest line that is read; longer lines are skipped
	// and counted.
	LineSize Size `yaml:"line_size"`
	// Watches is the number of directories watched for file events. Further
	// directories, with 0 all directories, are polled.
	Watches int `yaml:"watches"`
	// DedupKeys is the number of deduplication keys, and other rows of the state, that
	// the files of one source may have.
	DedupKeys int `yaml:"dedup_keys"`
}

// Retention is how long data is kept.
type Retention struct {
	// DedupKeys is how long the deduplication keys of a deleted file are kept, so that
	// its events are not counted again if the file, or a copy, comes back.
	DedupKeys Duration `yaml:"dedup_keys"`
}

// History configures the record of when counters grew.
type History struct {
	// Off records no history. In the file, "history: off".
	Off bool `yaml:"-"`
	// DetailedFor is the age limit of intervals of five minutes in the record. Older
	// intervals take half an hour.
	DetailedFor Duration `yaml:"detailed_for"`
}

// UnmarshalYAML decodes the word off, or a mapping.
func (h *History) UnmarshalYAML(n *yaml.Node) error {
	type mapping History
	return decodeOff(n, &h.Off, (*mapping)(h))
}

// StatusLine configures which data "ccwatchd statusline" may hand over.
type StatusLine struct {
	// AcceptLimits is whether the use of subscription limits is accepted. Without a
	// value the daemon decides.
	AcceptLimits *bool `yaml:"accept_limits"`
}

// Default returns the configuration without a file. Its sources are the directories
// "projects" in every entry of $CLAUDE_CONFIG_DIR, a comma-separated list; if it is not
// set, in ~/.claude and $XDG_CONFIG_HOME/claude (~/.config/claude). The directories
// need not exist. On macOS and Windows Cowork's sources are added, see coworkSources.
// Default returns an error if the environment names no directory at all.
//
// env is os.Getenv or a replacement.
func Default(env func(string) string) (*Config, error) {
	sources, err := defaultSources(runtime.GOOS, env)
	if err != nil {
		return nil, err
	}
	c := Settings()
	c.Sources = sources
	return c, nil
}

// Settings returns the defaults without sources.
func Settings() *Config {
	maxValues, buckets := ledgerDefaults()
	return &Config{
		Labels: Labels{
			Projects:  Projects{Naming: ByName},
			MaxValues: maxValues,
			MaxSeries: 10_000,
		},
		Buckets: buckets,
		Intervals: Intervals{
			Scan:           Duration(30 * time.Second),
			Poll:           Duration(time.Second),
			MessageTimeout: Duration(10 * time.Minute),
			Checkpoint:     Duration(10 * time.Minute),
			Sync:           Duration(2 * time.Second),
			ZeroWindow:     Duration(90 * time.Second),
			SessionActive:  Duration(5 * time.Minute),
		},
		Limits:    Limits{LineSize: 64 << 20, Watches: 8192, DedupKeys: 2_000_000},
		Retention: Retention{DedupKeys: Duration(60 * 24 * time.Hour)},
		History:   History{DetailedFor: Duration(62 * 24 * time.Hour)},
	}
}
