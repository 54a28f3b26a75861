package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// circumstances are how a request was made, as the first lines of its message state it.
// docs/circumstances.md states the rule.
type circumstances struct {
	mode, effort, tier, speed, entrypoint transcript.Circumstance
	era                                   era
	complete                              bool // further lines change nothing
}

// circumstancesOf returns what a line of a message states.
func circumstancesOf(f *fileState, m *transcript.Message) circumstances {
	c := &m.Circumstances
	return circumstances{f.mode, c.Effort, c.ServiceTier, c.Speed, c.Entrypoint, eraOf(c.Version), m.IsFinal()}
}

// add adds what another line of the message states, unless they are complete. The
// result does not depend on the order of lines without a stop reason.
func (c *circumstances) add(o circumstances) {
	if c.complete {
		return
	}
	c.complete = o.complete
	c.mode, c.effort = max(c.mode, o.mode), max(c.effort, o.effort)
	c.tier, c.speed = max(c.tier, o.tier), max(c.speed, o.speed)
	c.entrypoint = max(c.entrypoint, o.entrypoint)
	c.era = min(c.era-1, o.era-1) + 1 // 0, an unknown era, is the last one here
}

// addCircumstances adds what another line of a held message states, and returns all.
func (p *heldMessages) addCircumstances(h *heldMessage, c circumstances) circumstances {
	now := p.outcomes.Value(h.outcome).circumstances
	now.add(c)
	p.setCircumstances(h, now)
	return now
}

// completeCircumstances records that the lines that follow do not belong to the
// request of a held message. A message that is read live is counted at this point, so
// a catch-up, which counts later, must not use more lines.
func (p *heldMessages) completeCircumstances(h *heldMessage) {
	c := p.outcomes.Value(h.outcome).circumstances
	c.complete = true
	p.setCircumstances(h, c)
}

func (p *heldMessages) setCircumstances(h *heldMessage, c circumstances) {
	o := p.outcomes.Value(h.outcome)
	if c != o.circumstances {
		o.circumstances = c
		h.outcome = p.outcomes.ID(o)
	}
}

// circumstanceFamilies are those by how requests were made.
type circumstanceFamilies struct {
	mode, service, entrypoint, era counters.ID
}

func newCircumstanceFamilies(s *counters.Set) circumstanceFamilies {
	return circumstanceFamilies{
		mode: declare(s, "claude_requests_by_mode_total"), service: declare(s, "claude_requests_by_service_total"),
		entrypoint: declare(s, "claude_requests_by_entrypoint_total"), era: declare(s, "claude_requests_by_era_total"),
	}
}

// count counts a request by its circumstances.
func (f *circumstanceFamilies) count(c *core, how *circumstances, when int64, source SourceLabels) {
	c.add(f.mode, 1, when, source, nameOf(transcript.PermissionModes, how.mode), nameOf(transcript.Efforts, how.effort))
	c.add(f.service, 1, when, source, nameOf(transcript.ServiceTiers, how.tier), nameOf(transcript.Speeds, how.speed))
	c.add(f.entrypoint, 1, when, source, nameOf(transcript.Entrypoints, how.entrypoint))
	c.add(f.era, 1, when, source, Eras[how.era])
}

// An era is a range of versions of Claude Code that write usage in the same way: an
// index in Eras.
type era uint8

// Eras are the values of the label era. The saved state contains their indexes, so an
// era is only added at the end. The list must not be modified.
var Eras = []string{
	transcript.Unknown, "1.0", "2.0", "2.1.0-2.1.8", "2.1.9-2.1.29", "2.1.30-2.1.58", "2.1.59-2.1.96", "2.1.97+",
}

// eraStarts are the first versions of the eras from Eras[2] on.
var eraStarts = []version{{2, 0, 0}, {2, 1, 0}, {2, 1, 9}, {2, 1, 30}, {2, 1, 59}, {2, 1, 97}}

// eraOf returns the era of a version, 0 if there is none.
func eraOf(text string) era {
	if text == "" {
		return 0
	}
	e, v := era(1), parseVersion(text)
	for _, start := range eraStarts {
		if v.compare(start) >= 0 {
			e++
		}
	}
	return e
}

// nameOf returns the value with an index in a list.
func nameOf(list []string, i transcript.Circumstance) string { return list[i] }
