package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// prompts counts prompts and interruptions.
type prompts struct {
	basic
	sessions *sessions
	families promptFamilies
	uuids    *dedupKeys // of prompts and interruptions
	queued   *dedupKeys // of prompts typed while Claude works: attachments have their own uuids
	texts    *dedupKeys // time and text of both
}

type promptFamilies struct{ prompts, commands, interruptions counters.ID }

func newPrompts(c *core, s *sessions) *prompts {
	return &prompts{
		basic: basic{c}, sessions: s,
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

func (p *prompts) uuidsOf(prompt *transcript.Prompt) *dedupKeys {
	if prompt.Kind == queued {
		return p.queued
	}
	return p.uuids
}

// holder returns the file that had a prompt first, with this time and text.
func (p *prompts) holder(text transcript.Key) FileID {
	holder, _ := p.texts.Get(hashOf(text))
	return holder
}

// countLine counts prompts of a person or a program, and interruptions. A side chain
// holds tasks for sub-agents and replays, which are not prompts.
func (p *prompts) countLine(l *line, e *transcript.Entry) {
	prompt := e.Prompt
	if prompt == nil || l.side && prompt.Kind != transcript.Interruption {
		return
	}
	text := prompt.TextKey
	if l.side {
		text = transcript.KeyOf("side", string(text[:]))
	}
	switch isNew := p.firstBoth(l.id, p.uuidsOf(prompt), e.UUID, p.texts, text); {
	case !isNew && prompt.Kind == transcript.Interruption:
		p.duplicate("interruption", l.when)
	case !isNew:
		p.duplicate("prompt", l.when)
	case prompt.Kind == transcript.Interruption:
		p.add(p.families.interruptions, 1, l.when, l.source, l.project, l.agent)
	default:
		p.add(p.families.prompts, 1, l.when, l.source, prompt.Kind, l.project)
		p.sessions.credit(&l.event, sessionCounts{sessionPrompts: 1})
		if e.Command != "" {
			p.add(p.families.commands, 1, l.when, l.source, p.bounded(p.labels.command, l.source, e.Command, l.when), l.project)
		}
	}
}
