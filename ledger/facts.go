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
			retries: declare(c.set, "claude_api_retries_total"), turnDuration: declare(c.set, "claude_turn_duration_seconds"),
			pullRequests: declare(c.set, "claude_pull_requests_total"), commits: declare(c.set, "claude_commits_total"),
			filesTouched: declare(c.set, "claude_files_touched_total"), backgroundTasks: declare(c.set, "claude_background_tasks_total"),
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
