package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// wordsOfBy maps words that users give as arguments to the values of --by that they
// mean.
var wordsOfBy = map[string]string{
	"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "sessions": bySession,
	"hour": "hour", "day": "day", "week": "week", "month": "month", "total": "total", "session": bySession,
	"project": "project", "model": "model", "agent": "agent", "tool": "tool",
}

// wordOfBlocks is a word for what a report does not have.
const wordOfBlocks = "blocks"

var errBlocks = errors.New("no report has the blocks of five hours: \"ccwatchd top\", \"ccwatchd status\" and the page show the current one, and --by hour has each hour")

// takeWords adds the words among paths that mean a value of --by, such as monthly, and
// returns the other paths. A file with such a name is a path.
func (r *reportCommand) takeWords(paths []string) (others []string, err error) {
	for _, path := range paths {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			others = append(others, path)
			continue
		}
		by := wordsOfBy[path]
		switch {
		case path == wordOfBlocks:
			return nil, fmt.Errorf("%q: %w", path, errBlocks)
		case by == "":
			others = append(others, path)
		default:
			r.by = append(r.by, by)
		}
	}
	return others, nil
}
