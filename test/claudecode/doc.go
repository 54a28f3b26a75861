// Package claudecode runs the real Claude Code against a scripted Messages API and
// compares the answers of the API with the counters of ccwatchd: they are equal, or the
// table of reasons says why the transcripts do not contain an answer.
//
// Package api is the API, scenario reads the files in scenarios, install gets a version
// from npm, sandbox isolates a run, play executes a scenario, judge compares, and
// golden makes the transcripts in testdata/claudecode. "make claude" runs the program
// in run.
package claudecode

import (
	"embed"
	"io/fs"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// Scenarios returns the files of all scenarios.
func Scenarios() fs.FS {
	dir, err := fs.Sub(scenarios, "scenarios")
	if err != nil {
		panic(err) // the name is a constant
	}
	return dir
}
