package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kingpin/v2"
)

// suggestion returns " (did you mean …?)" with the command whose name begins with the
// word or is most similar to it, or "" if no name is similar.
func suggestion(app *kingpin.ApplicationModel, word string) string {
	nearest, least := "", 3 // three edits are more likely another word than typing errors
	for _, command := range app.FlattenedCommands() {
		edits := editDistance(word, command.Name)
		if strings.HasPrefix(command.Name, word) {
			edits = min(edits, 2)
		}
		if !command.Hidden && edits < least {
			nearest, least = command.FullCommand, edits
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", nearest)
}

// editDistance returns the Levenshtein distance of a and b, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a prefix of a from each prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			edits := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				edits = min(edits, diagonal)
			} else {
				edits = min(edits, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], edits
		}
	}
	return row[len(b)]
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
