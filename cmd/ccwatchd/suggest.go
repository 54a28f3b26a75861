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

// foreignFlags are the flags of this program for what other programs call differently.
var foreignFlags = map[string]string{
	"port": "--web.listen-address=localhost:PORT", "web.port": "--web.listen-address=localhost:PORT",
	"host": "--web.listen-address=HOST:PORT", "config": "--config.file=FILE", "debug": "--log.level=debug",
	"timezone": "--tz=ZONE", "start-of-week": "--week-start=DAY", "instances": "--by=day,project", "breakdown": "--by=day,model",
}

// flagSuggestion returns " (did you mean …?)" with the flag for a flag that does not
// exist, or "" if none is known.
func flagSuggestion(name string) string {
	flag, ok := foreignFlags[name]
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", flag)
}
