package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// maxClaims limits how many runs of one command for one trigger are compared between
// attachments and summaries. It keeps hostile lines from taking quadratic time.
const maxClaims = 64

// hooks counts the hook runs that an entry states. docs/hooks.md states the rule.
func (l *Ledger) hooks(lc *lineContext, e *transcript.Entry) {
	switch h := e.Hooks; {
	case h == nil:
	case h.Summary:
		l.hookSummary(lc, e.UUID, h)
	default:
		l.hookAttachment(lc, e.UUID, h)
	}
}

// hookAttachment counts a run that is stated with its outcome.
func (l *Ledger) hookAttachment(lc *lineContext, uuid transcript.Key, h *transcript.Hooks) {
	claims := make(claimNumbers)
	for i := range h.Runs { // there is one
		run := &h.Runs[i]
		isNew := l.first(seenHook, uuid, lc.id)
		isNew = l.first(seenHookRun, run.Key, lc.id) && isNew
		if !isNew {
			l.duplicate("hook", lc.when)
			continue
		}
		failed := run.Outcome == transcript.HookError || run.Outcome == transcript.HookBlocking
		if failed && !h.Trigger.IsZero() {
			l.claim(lc, claims, "attachment error", h.Trigger)
		}
		if run.Command.IsZero() || !l.claim(lc, claims, "attachment", run.Command) {
			l.hookRun(lc, h.Event, run, run.Outcome)
		}
	}
}

// hookSummary counts the runs of a summary that are in no attachment. Its errors belong
// to the first of them, after those that attachments state.
func (l *Ledger) hookSummary(lc *lineContext, uuid transcript.Key, h *transcript.Hooks) {
	event := h.Event
	if event == "Stop" && lc.side && !lc.kind.Replays() {
		event = "SubagentStop"
	}
	isNew := l.first(seenHook, uuid, lc.id)
	if !h.Trigger.IsZero() {
		isNew = l.first(seenHookRun, transcript.KeyOf("hook summary", string(h.Trigger[:])), lc.id) && isNew
	}
	if !isNew {
		l.duplicate("hook", lc.when)
		return
	}
	claims := make(claimNumbers)
	var outcomes []string
	for _, blocking := range h.Errors {
		switch {
		case !h.Trigger.IsZero() && l.claim(lc, claims, "summary error", h.Trigger):
		case blocking:
			outcomes = append(outcomes, transcript.HookBlocking)
		default:
			outcomes = append(outcomes, transcript.HookError)
		}
	}
	for i := range h.Runs {
		run, outcome := &h.Runs[i], transcript.HookSuccess
		if !run.Command.IsZero() && l.claim(lc, claims, "summary", run.Command) {
			continue
		}
		if len(outcomes) > 0 {
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		l.hookRun(lc, event, run, outcome)
	}
}

// counterparts are the kinds of statements of which each claim of a kind repeats one.
var counterparts = map[string]string{
	"attachment": "summary", "attachment error": "summary error",
	"summary": "attachment", "summary error": "attachment error",
}

// A claimSubject is what statements of a kind are about: a trigger or a command.
type claimSubject struct {
	kind string
	key  transcript.Key
}

// claimNumbers are the numbers of the next claims of one entry. Lower ones are taken.
type claimNumbers map[claimSubject]int

// claim records one more statement of a kind about a subject, and reports whether it
// repeats one of the counterpart: the first repeats the first, the second the second.
func (l *Ledger) claim(lc *lineContext, next claimNumbers, kind string, subject transcript.Key) (repeats bool) {
	key := func(kind string, n int) transcript.Key {
		return transcript.KeyOf(kind, string(subject[:]), strconv.Itoa(n))
	}
	one := claimSubject{kind, subject}
	for next[one] < maxClaims {
		n := next[one]
		next[one]++
		if l.first(seenHookClaim, key(kind, n), lc.id) {
			return l.has(seenHookClaim, key(counterparts[kind], n), lc.id)
		}
	}
	return false
}

func (l *Ledger) hookRun(lc *lineContext, event string, run *transcript.HookRun, outcome string) {
	l.add(hookRuns, 1, lc.when, lc.source, event, outcome)
	if run.Timed {
		l.observe(hookDuration, run.Milliseconds, lc.when, lc.source, event)
	}
}

func codeHooks(c *codec.Coder, h *transcript.Hooks) {
	codec.String(c, 1, &h.Event)
	codec.Bool(c, 2, &h.Summary)
	codec.Slice(c, 3, &h.Runs, codeHookRun)
	codec.Slice(c, 4, &h.Errors, func(c *codec.Coder, blocking *bool) { codec.Bool(c, 1, blocking) })
	codec.Fixed64(c, 5, &h.Trigger)
}

func codeHookRun(c *codec.Coder, r *transcript.HookRun) {
	codec.Fixed64(c, 1, &r.Key)
	codec.Fixed64(c, 2, &r.Command)
	codec.String(c, 3, &r.Outcome)
	codec.Bool(c, 4, &r.Timed)
	codec.Uint(c, 5, &r.Milliseconds)
}
