package follow

// A Source is a directory that contains transcripts, at any depth, and the labels of
// their series.
type Source struct {
	Path   string
	Labels map[string]string
}

// A Labeller derives labels from the content of lines. One goroutine uses it.
type Labeller interface {
	// Project returns the project of a working directory, or "".
	Project(cwd string) string
	// Command returns the label of a slash command.
	Command(name string) string
}

// A Config is the part of the configuration that concerns reading.
type Config struct {
	Sources  []Source
	Labeller Labeller
	MaxLine  int // maximum length of a line, in bytes
}
