package ledger

import (
	"fmt"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A hookReference has what entries say about the hooks that ran for one trigger.
type hookReference struct {
	event                   string
	attachments             map[transcript.Key]transcript.HookRun
	summary                 *transcript.Hooks
	commands, summarized    map[transcript.Key]int // runs, by command
	attachmentErrors, extra int
}

// referenceWork counts hook runs and other work independently of the ledger: it
// collects all that is stated before it counts.
func referenceWork(r *replayer) map[string][]uint64 {
	all, seen := make(map[string][]uint64), make(map[string]bool)
	count := func(series string, key transcript.Key) {
		if id := fmt.Sprint(series, key); !key.IsZero() && !seen[id] {
			seen[id] = true
			add(all, series, 1, 0)
		}
	}
	triggers := make(map[string]*hookReference)
	for _, f := range r.files {
		for _, e := range parsed(f.file, f.lines, 0, len(f.lines), r.now).Entries {
			count("claude_commits_total", e.Commit)
			count("claude_pull_requests_total", e.PullRequest)
			for _, u := range e.Uses {
				count("claude_files_touched_total operation="+u.FileOperation, u.File)
			}
			for _, result := range e.Results {
				if result.Background != "" {
					count("claude_background_tasks_total kind="+result.Background, result.Key)
				}
			}
			if e.Hooks != nil {
				side := (e.Sidechain || f.file.Kind.IsAgent()) && !f.file.Kind.Replays()
				collectHooks(triggers, e.Hooks, side)
			}
		}
	}
	for _, t := range triggers {
		t.count(all)
	}
	return all
}

func collectHooks(triggers map[string]*hookReference, h *transcript.Hooks, side bool) {
	event := h.Event
	if h.Summary && side {
		event = "SubagentStop"
	}
	id := fmt.Sprint(h.Trigger, event)
	if triggers[id] == nil {
		triggers[id] = &hookReference{
			event: event, attachments: make(map[transcript.Key]transcript.HookRun),
			commands: make(map[transcript.Key]int), summarized: make(map[transcript.Key]int),
		}
	}
	if h.Summary {
		triggers[id].summary = h
		return
	}
	triggers[id].attachments[h.Runs[0].Key] = h.Runs[0]
}

// count counts the attachments, and the runs and errors that only the summary has.
func (t *hookReference) count(all map[string][]uint64) {
	run := func(r transcript.HookRun, outcome string) {
		add(all, fmt.Sprintf("claude_hook_runs_total event=%s outcome=%s", t.event, outcome), 1, 0)
		short := uint64(0)
		if r.Milliseconds <= 1000 {
			short = 1
		}
		add(all, "claude_hook_duration_seconds event="+t.event, 1, r.Milliseconds, short, 1-short)
	}
	for _, r := range t.attachments {
		run(r, r.Outcome)
		t.commands[r.Command]++
		if r.Outcome != "success" {
			t.attachmentErrors++
		}
	}
	if t.summary == nil {
		return
	}
	failures := t.summary.Errors[min(t.attachmentErrors, len(t.summary.Errors)):]
	for _, r := range t.summary.Runs {
		if t.summarized[r.Command]++; t.summarized[r.Command] <= t.commands[r.Command] {
			continue
		}
		outcome := "success"
		if t.extra < len(failures) {
			outcome = map[bool]string{false: "error", true: "blocking"}[failures[t.extra]]
		}
		t.extra++
		run(r, outcome)
	}
}
