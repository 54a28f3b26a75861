package transcripttest

import "path"

// A Labeller names projects by the last element of their directory, and no command
// except /clear.
type Labeller struct{}

// Project returns the label of a working directory.
func (Labeller) Project(cwd string) string {
	if cwd == "" {
		return ""
	}
	return path.Base(cwd)
}

// Command returns the label of a slash command.
func (Labeller) Command(name string) string {
	if name == "clear" {
		return name
	}
	return "custom"
}
