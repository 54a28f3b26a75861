package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// queued is the kind of prompts typed while Claude works. They come as
// attachments, whose uuids are a space of their own.
const queued = "queued"

// prompt counts what a person or a program sent, and interruptions. What a
// side chain holds are tasks for sub-agents and replays: no prompts.
func (l *Ledger) prompt(at *line, e *transcript.Entry) {
	p := e.Prompt
	if p == nil || at.side && p.Kind != transcript.Interruption {
		return
	}
	l.overtake(at.file)
	uuids, text := seenPrompt, p.TextKey
	if p.Kind == queued {
		uuids = seenQueued
	}
	if at.side {
		text = transcript.KeyOf("side", string(text[:]))
	}
	// Both keys are noted whatever the other says.
	fresh := l.first(uuids, e.UUID, at.id)
	fresh = l.first(seenText, text, at.id) && fresh
	switch {
	case !fresh && p.Kind == transcript.Interruption:
		l.duplicate("interruption", at.when)
	case !fresh:
		l.duplicate("prompt", at.when)
	case p.Kind == transcript.Interruption:
		l.add(interruptions, 1, at.when, at.source, at.project, at.agent)
	default:
		l.add(prompts, 1, at.when, at.source, p.Kind, at.project)
		if e.Command != "" {
			l.add(commands, 1, at.when, at.source, l.bounded(commandLabel, e.Command, at.when), at.project)
		}
	}
}

// events counts everything that has a key of its own and nothing to wait for.
func (l *Ledger) events(at *line, e *transcript.Entry) {
	if c := e.Compaction; c != nil && !at.kind.Replays() && l.once(seenCompaction, e.UUID, at) {
		l.compaction(at, e.Sidechain, c)
	}
	if x := e.APIError; x != nil && l.once(seenAPIError, e.UUID, at) {
		l.add(apiErrors, 1, at.when, at.source, l.bounded(errorLabel, x.Class, at.when), l.bounded(statusLabel, x.Status, at.when))
	}
	if r := e.Retry; r != nil && l.once(seenRetry, e.UUID, at) {
		l.add(apiRetries, 1, at.when, at.source, l.bounded(statusLabel, r.Status, at.when))
	}
	if t := e.Turn; t != nil && l.once(seenTurn, e.UUID, at) {
		l.observe(turnDuration, t.Milliseconds, at.when, at.source, at.project)
	}
	if e.QueueOperation != "" {
		var room [20]byte
		time := strconv.AppendInt(room[:0], e.Time, 10)
		key := transcript.KeyOf("queue", string(e.Session[:]), string(time), e.QueueOperation)
		if l.once(seenQueueOperation, key, at) {
			l.add(queueOperations, 1, at.when, at.source, e.QueueOperation)
		}
	}
}

func (l *Ledger) compaction(at *line, sidechain bool, c *transcript.Compaction) {
	agent := "main"
	if sidechain {
		agent = at.agent
	}
	trigger := l.bounded(triggerLabel, c.Trigger, at.when)
	l.add(compactions, 1, at.when, at.source, trigger, at.project, agent)
	if c.PreTokens > 0 {
		l.observe(compactionPreTokens, c.PreTokens, at.when, at.source, trigger)
	}
}
