package follow

// A Source is a directory that contains transcripts, at any depth, and the labels of
// their series.
type Source struct {
	Path string
	// Base is the leading part of Path whose links are followed without the check of
	// package opendir; all of Path if empty.
	Base   string
	Labels map[string]string
}

// A Labeller derives labels from the content of lines. One goroutine uses Project;
// several may call the other methods.
type Labeller interface {
	// Project returns the project of a working directory, or "".
	Project(cwd string) string
	// Command returns the label of a slash command.
	Command(name string) string
	// Agent, Skill and Plugin return the labels of a type of sub-agents, of a skill and
	// of a plugin.
	Agent(name string) string
	Skill(name string) string
	Plugin(name string) string
}

// A Config is the part of the configuration that concerns reading.
type Config struct {
	Sources  []Source
	Labeller Labeller
	MaxLine  int // maximum length of a line, in bytes
}
