package follow

// A Source is a directory with transcripts in it, at any depth, and the labels that
// everything in it gets.
type Source struct {
	Path   string
	Labels map[string]string
}

// A Labeller makes labels of what lines say. It is used by one goroutine.
type Labeller interface {
	// Project names the project of a working directory; empty for none.
	Project(cwd string) string
	// Command is the label of a slash command.
	Command(name string) string
}

// A Config is what a configuration says about reading.
type Config struct {
	Sources  []Source
	Labeller Labeller
	MaxLine  int // length of the longest line that is read, in bytes
}
