package main

import (
	"fmt"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/suggest"
)

// suggestion returns " (did you mean …?)" with the command whose name begins with the
// word or is most similar to it, or "" if no name is similar.
func suggestion(app *kingpin.ApplicationModel, word string) string {
	var names []string
	full := make(map[string]string)
	for _, command := range app.FlattenedCommands() {
		if full[command.Name] == "" && !command.Hidden {
			names = append(names, command.Name)
			full[command.Name] = command.FullCommand
		}
	}
	nearest := suggest.Nearest(word, names)
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", full[nearest])
}
