package ledger

import (
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// work counts what was done with Git and with files, and background work that was
// started. Each has a key of its own, so that it counts whether or not the tool call or
// its result is a copy: a copy may contain what the first one did not.
func (l *Ledger) work(lc *lineContext, e *transcript.Entry) {
	if !e.PullRequest.IsZero() && l.once(seenPullRequest, e.PullRequest, lc) {
		l.add(pullRequests, 1, lc.when, lc.source, lc.project)
	}
	if !e.Commit.IsZero() && l.once(seenCommit, e.Commit, lc) {
		l.add(commits, 1, lc.when, lc.source, lc.project)
	}
	for i := range e.Uses {
		// A file is used again and again, which is no duplicate.
		if u := &e.Uses[i]; !u.File.IsZero() && l.first(seenTouchedFile, u.File, lc.id) {
			l.add(filesTouched, 1, lc.when, lc.source, u.FileOperation, lc.project)
		}
	}
	for i := range e.Results {
		if r := &e.Results[i]; r.Background != "" && l.once(seenBackgroundTask, r.Key, lc) {
			l.add(backgroundTasks, 1, lc.when, lc.source, r.Background)
		}
	}
}

// codeWork visits the parts of an entry that work and hooks count.
func codeWork(c *codec.Coder, first codec.Number, e *transcript.Entry) {
	codec.Optional(c, first, &e.Hooks, codeHooks)
	codec.Fixed64(c, first+1, &e.PullRequest)
	codec.Fixed64(c, first+2, &e.Commit)
}
