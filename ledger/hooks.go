package ledger

import (
	"cmp"
	"strconv"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// maxClaims limits how many runs of one command for one trigger are compared between
// attachments and summaries. It keeps hostile lines from taking quadratic time.
const maxClaims = 64

// hooks counts hook runs. docs/design/work.md states the rule.
type hooks struct {
	basic
	runs, duration counters.ID
	uuids          *dedupKeys // of hook runs and of summaries of them
	stated         *dedupKeys // their statements, for copies with other uuids
	claims         *dedupKeys // see claimRun
}

func newHooks(c *core) *hooks {
	return &hooks{
		basic: basic{c},
		runs: c.declare(caveat(claudeCounter("hook_runs_total", "Runs of hooks, by event and outcome.", "event", "outcome"),
			"At the end of a turn since 2.0.64, other runs with output or an error since 2.1.92, denials of tool calls since 2.1.295.")),
		duration: c.declare(histogram(caveat(claudeCounter("hook_duration_seconds", "Duration of hook runs.", "event"),
			"Runs without a stated duration are missing."), milli, 0.1, 0.5, 2, 10, 60)),
		uuids: c.keys("hook", tableHooks), stated: c.keys("hook_run", tableHookRuns), claims: c.keys("hook_claim", tableHookClaims),
	}
}

// countLine counts the hook runs that an entry states.
func (p *hooks) countLine(l *line, e *transcript.Entry) {
	switch h := e.Hooks; {
	case h == nil:
	case h.Summary:
		p.countSummary(l, e.UUID, h)
	default:
		p.countAttachment(l, e.UUID, h)
	}
}

// countAttachment counts a run that is stated with its outcome.
func (p *hooks) countAttachment(l *line, uuid transcript.Key, h *transcript.Hooks) {
	claims := make(claimNumbers)
	for i := range h.Runs { // there is one
		run := &h.Runs[i]
		if !p.firstBoth(l.id, p.uuids, uuid, p.stated, run.Key) {
			p.duplicate("hook", l.when)
			continue
		}
		failed := run.Outcome == transcript.HookError || run.Outcome == transcript.HookBlocking
		if failed && !h.Trigger.IsZero() {
			p.claimRun(l, claims, "attachment error", h.Trigger)
		}
		if run.Command.IsZero() || !p.claimRun(l, claims, "attachment", run.Command) {
			p.count(l, h.Event, run, run.Outcome)
		}
	}
}

// countSummary counts the runs of a summary that are in no attachment. A summary does
// not say which run failed: its errors are assigned to attachments first, then to the
// remaining runs in order.
func (p *hooks) countSummary(l *line, uuid transcript.Key, h *transcript.Hooks) {
	event := h.Event
	if event == "Stop" && l.side && !l.kind.Replays() {
		event = "SubagentStop"
	}
	isNew := p.first(p.uuids, uuid, l.id)
	if !h.Trigger.IsZero() {
		isNew = p.first(p.stated, transcript.KeyOf("hook summary", string(h.Trigger[:])), l.id) && isNew
	}
	if !isNew {
		p.duplicate("hook", l.when)
		return
	}
	claims := make(claimNumbers)
	var outcomes []string
	for _, blocking := range h.Errors {
		switch {
		case !h.Trigger.IsZero() && p.claimRun(l, claims, "summary error", h.Trigger):
		case blocking:
			outcomes = append(outcomes, transcript.HookBlocking)
		default:
			outcomes = append(outcomes, transcript.HookError)
		}
	}
	for i := range h.Runs {
		run := &h.Runs[i]
		outcome := cmp.Or(run.Outcome, transcript.HookSuccess)
		if !run.Command.IsZero() && p.claimRun(l, claims, "summary", run.Command) {
			continue
		}
		if len(outcomes) > 0 {
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		p.count(l, event, run, outcome)
	}
}

// counterparts are the kinds of statements that repeat each other: a claim of a kind
// repeats a claim of its counterpart.
var counterparts = map[string]string{
	"attachment": "summary", "attachment error": "summary error",
	"summary": "attachment", "summary error": "attachment error",
}

// A claimSubject is the subject of statements of a kind: a trigger or a command.
type claimSubject struct {
	kind string
	key  transcript.Key
}

// claimNumbers are the numbers of the next claims of one entry. Lower numbers are
// taken.
type claimNumbers map[claimSubject]int

// claimRun records one more statement of a kind about a subject, and reports whether it
// repeats a statement of the counterpart: the first repeats the first, and so on.
func (p *hooks) claimRun(l *line, next claimNumbers, kind string, subject transcript.Key) (repeats bool) {
	key := func(kind string, n int) transcript.Key {
		return transcript.KeyOf(kind, string(subject[:]), strconv.Itoa(n))
	}
	claims := claimSubject{kind, subject}
	for next[claims] < maxClaims {
		n := next[claims]
		next[claims]++
		if p.first(p.claims, key(kind, n), l.id) {
			return p.claim(p.claims, key(counterparts[kind], n), l.id)
		}
	}
	return false
}

func (p *hooks) count(l *line, event string, run *transcript.HookRun, outcome string) {
	p.add(p.runs, 1, l.when, l.source, event, outcome)
	if run.Timed {
		p.add(p.duration, run.Milliseconds, l.when, l.source, event)
	}
}
