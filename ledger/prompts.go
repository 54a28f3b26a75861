package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// prompts counts prompts and interruptions.
type prompts struct {
	basic
	sessions *sessions
	messages *messages
	families promptFamilies
	uuids    *dedupKeys // of prompts and interruptions
	queued   *dedupKeys // of prompts typed while Claude works: attachments have their own uuids
	texts    *dedupKeys // time and text of both
}

type promptFamilies struct{ prompts, commands, interruptions counters.ID }

func newPrompts(c *core, s *sessions, m *messages) *prompts {
	return &prompts{
		basic: basic{c}, sessions: s, messages: m,
		families: promptFamilies{
			prompts:  c.declare(claudeCounter("prompts_total", "Prompts sent by a person or a program, each counted once, including those repeated in forks.", "kind", "project")),
			commands: c.declare(claudeCounter("commands_total", "Slash commands.", "command", "project")),
			interruptions: c.declare(caveat(claudeCounter("interruptions_total", "Interruptions by the user.", "project", "agent"),
				"One key press can interrupt the main agent and its sub-agents.")),
		},
		uuids: c.keys("prompt", tablePrompts), queued: c.keys("queued_prompt", tableQueuedPrompts),
		texts: c.keys("prompt_text", tablePromptTexts),
	}
}

// queued is the kind of prompts typed while Claude works.
const queued = "queued"

// holder returns the file that had a prompt first.
func (p *prompts) holder(e *transcript.Entry) (f FileID, known bool) {
	if f, known = p.uuidsOf(e.Prompt).Get(hashOf(e.UUID)); !known {
		f, known = p.texts.Get(hashOf(e.Prompt.TextKey))
	}
	return f, known
}

func (p *prompts) uuidsOf(prompt *transcript.Prompt) *dedupKeys {
	if prompt.Kind == queued {
		return p.queued
	}
	return p.uuids
}

// countLine counts prompts of a person or a program, and interruptions. A side chain
// holds tasks for sub-agents and replays, which are not prompts.
func (p *prompts) countLine(lc *lineContext, e *transcript.Entry) {
	prompt := e.Prompt
	if prompt == nil || lc.side && prompt.Kind != transcript.Interruption {
		return
	}
	if e.Type != "system" { // Claude Code's own commands can appear within a message
		p.messages.supersede(lc.file)
	}
	text := prompt.TextKey
	if lc.side {
		text = transcript.KeyOf("side", string(text[:]))
	}
	// Both keys are recorded, whether or not the other is new.
	isNew := p.first(p.uuidsOf(prompt), e.UUID, lc.id)
	isNew = p.first(p.texts, text, lc.id) && isNew
	switch {
	case !isNew && prompt.Kind == transcript.Interruption:
		p.duplicate("interruption", lc.when)
	case !isNew:
		p.duplicate("prompt", lc.when)
	case prompt.Kind == transcript.Interruption:
		p.add(p.families.interruptions, 1, lc.when, lc.source, lc.project, lc.agent)
	default:
		p.add(p.families.prompts, 1, lc.when, lc.source, prompt.Kind, lc.project)
		p.sessions.credit(&lc.event, sessionCounts{sessionPrompts: 1})
		if e.Command != "" {
			p.add(p.families.commands, 1, lc.when, lc.source, p.bounded(p.labels.command, e.Command, lc.when), lc.project)
		}
	}
}
