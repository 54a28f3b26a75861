// Package claudecode runs the real Claude Code against a scripted Messages API and
// compares what the API served with what ccwatchd counts: they are equal, or the table
// of reasons names why the transcripts do not contain them.
//
// Package api is the API, scenario reads the files in scenarios, install gets a version
// from npm, sandbox isolates a run, play does what a scenario says, judge compares, and
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
