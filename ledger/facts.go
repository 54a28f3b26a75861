package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// facts counts events that have a key of their own, each once.
type facts struct {
	basic
	families                                                                        factFamilies
	retries, turns, turnTimes, pullRequests, commits, touchedFiles, backgroundTasks *dedupKeys
}

type factFamilies struct{ retries, turnDuration, pullRequests, commits, filesTouched, backgroundTasks counters.ID }

func newFacts(c *core) *facts {
	return &facts{
		basic: basic{c},
		families: factFamilies{
			retries: c.declare(caveat(seen("api_retries_total", "Retries of API requests by the client.", "status"), "Not every version of Claude Code records them.")), turnDuration: c.declare(histogram(caveat(seen("turn_duration_seconds", "Duration of the turns for which Claude Code states it."), "Biased: it states only turns of more than 30 seconds in versions 2.1.1 to 2.1.122, and only those of interactive sessions today. `claude_turn_seconds` covers all turns."), milli, 30, 60, 120, 300, 600, 3600)),
			pullRequests: c.declare(seen("pull_requests_total", "Pull requests that sessions are linked to, each URL counted once.", "project")), commits: c.declare(caveat(seen("commits_total", "Git commits that results of tools state, each hash counted once.", "project"), "Stated by Claude Code 2.1.156 and later, except in most sub-agents.")),
			filesTouched: c.declare(caveat(seen("files_touched_total", "Files that tools were called with, each file of a session counted once for each operation.", "operation", "project"), "Includes files of calls that failed.")), backgroundTasks: c.declare(seen("background_tasks_total", "Background work that tools started, by kind: shell commands, agents and monitors.", "kind")),
		},
		retries: c.keys("api_retry", tableRetries), turns: c.keys("turn", tableTurnDurations), turnTimes: c.keys("turn_time", tableTurnDurationTimes),
		pullRequests: c.keys("pull_request", tablePullRequests), commits: c.keys("commit", tableCommits),
		touchedFiles: c.keys("touched_file", tableTouchedFiles), backgroundTasks: c.keys("background_task", tableBackgroundTasks),
	}
}

// line counts the facts of a line. Each has a key of its own, so that it counts whether
// or not the tool call or its result is a copy: a copy may contain what the first one
// did not.
func (p *facts) line(lc *lineContext, e *transcript.Entry) {
	if r := e.Retry; r != nil && p.once(p.retries, e.UUID, lc) {
		p.add(p.families.retries, 1, lc.when, lc.source, p.bounded(p.labels.status, r.Status, lc.when))
	}
	if t := e.Turn; t != nil && p.onceByTime(p.turns, p.turnTimes, e, lc, "", t.Milliseconds) {
		p.add(p.families.turnDuration, t.Milliseconds, lc.when, lc.source)
	}
	if !e.PullRequest.IsZero() && p.once(p.pullRequests, e.PullRequest, lc) {
		p.add(p.families.pullRequests, 1, lc.when, lc.source, lc.project)
	}
	if !e.Commit.IsZero() && p.once(p.commits, e.Commit, lc) {
		p.add(p.families.commits, 1, lc.when, lc.source, lc.project)
	}
	for i := range e.Uses {
		// A file is used again and again, which is no duplicate.
		if u := &e.Uses[i]; !u.File.IsZero() && p.first(p.touchedFiles, u.File, lc.id) {
			p.add(p.families.filesTouched, 1, lc.when, lc.source, u.FileOperation, lc.project)
		}
	}
	for i := range e.Results {
		if r := &e.Results[i]; r.Background != "" && p.once(p.backgroundTasks, r.Key, lc) {
			p.add(p.families.backgroundTasks, 1, lc.when, lc.source, r.Background)
		}
	}
}
