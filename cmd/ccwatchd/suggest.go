package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kingpin/v2"
)

// suggestion returns " (did you mean …?)" with the command whose name begins with a
// word or is most like it, or "" if none is.
func suggestion(app *kingpin.ApplicationModel, word string) string {
	nearest, least := "", 3 // two typing errors are likely, three another word
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

// editDistance returns the Levenshtein distance: how many bytes must be inserted,
// removed or replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the beginning of a from each of b
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
