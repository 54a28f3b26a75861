package ledger

import (
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// circumstances are how a request was made, as the first lines of its message state it.
// docs/circumstances.md states the rule.
type circumstances struct {
	mode, effort, tier, speed, entrypoint transcript.Circumstance
	versionRange                          versionRange
	complete                              bool // further lines change nothing
}

// circumstancesOf returns what a line of a message states.
func circumstancesOf(f *fileState, m *transcript.Message) circumstances {
	c := &m.Circumstances
	return circumstances{f.mode, c.Effort, c.ServiceTier, c.Speed, c.Entrypoint, versionRangeOf(c.Version), m.IsFinal()}
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
	c.versionRange = min(c.versionRange-1, o.versionRange-1) + 1 // 0, which is unknown, is the last one here
}

// addCircumstances adds what another line of a held message states, and returns all.
func (l *Ledger) addCircumstances(h *heldMessage, c circumstances) circumstances {
	now := l.outcomes.values[h.outcome].circumstances
	now.add(c)
	l.setCircumstances(h, now)
	return now
}

// completeCircumstances records that the lines that follow do not belong to the
// request of a held message. A message that is read live is counted at this point, so
// a catch-up, which counts later, must not use more lines.
func (l *Ledger) completeCircumstances(h *heldMessage) {
	c := l.outcomes.values[h.outcome].circumstances
	c.complete = true
	l.setCircumstances(h, c)
}

func (l *Ledger) setCircumstances(h *heldMessage, c circumstances) {
	o := l.outcomes.values[h.outcome]
	if c != o.circumstances {
		o.circumstances = c
		h.outcome = l.outcomes.id(o)
	}
}

// circumstance processes what a line states about the requests that follow in its file,
// and the version of Claude Code that made the one in the line.
func (l *Ledger) circumstance(lc *lineContext, e *transcript.Entry) {
	if e.PermissionMode != transcript.UnknownCircumstance {
		lc.file.mode = e.PermissionMode
	}
	if e.Message != nil && e.Message.Version != "" && e.Time == lc.when { // its own time
		l.versions.add(e.Message.Version, lc.source, e.Time)
	}
}

// countCircumstances counts a request by its circumstances.
func (l *Ledger) countCircumstances(c *circumstances, when int64, source SourceLabels) {
	l.add(modeRequests, 1, when, source, nameOf(transcript.PermissionModes, c.mode), nameOf(transcript.Efforts, c.effort))
	l.add(serviceRequests, 1, when, source, nameOf(transcript.ServiceTiers, c.tier), nameOf(transcript.Speeds, c.speed))
	l.add(entrypointRequests, 1, when, source, nameOf(transcript.Entrypoints, c.entrypoint))
	l.add(versionRangeRequests, 1, when, source, c.versionRange.name())
}

// A versionRange is a range of versions of Claude Code that write usage in the same
// way: an index in VersionRanges.
type versionRange uint8

// VersionRanges are the values of the label version_range. The saved state contains
// their indexes, so a range is only added at the end. The list must not be modified.
var VersionRanges = []string{
	transcript.Unknown, "1.0", "2.0", "2.1.0-2.1.8", "2.1.9-2.1.29", "2.1.30-2.1.58", "2.1.59-2.1.96", "2.1.97+",
}

// versionRangeStarts are the first versions of the ranges from VersionRanges[2] on.
var versionRangeStarts = []version{{2, 0, 0}, {2, 1, 0}, {2, 1, 9}, {2, 1, 30}, {2, 1, 59}, {2, 1, 97}}

// versionRangeOf returns the range of a version, 0 if there is none.
func versionRangeOf(text string) versionRange {
	if text == "" {
		return 0
	}
	r, v := versionRange(1), parseVersion(text)
	for _, start := range versionRangeStarts {
		if v.compare(start) >= 0 {
			r++
		}
	}
	return r
}

// name returns the value of a range. To this version, one that a newer version has
// added is unknown.
func (r versionRange) name() string {
	if int(r) >= len(VersionRanges) {
		r = 0
	}
	return VersionRanges[r]
}

// nameOf returns the value with an index in a list. To this version, one that a newer
// version has added is another value.
func nameOf(list []string, i transcript.Circumstance) string {
	if int(i) >= len(list) {
		i = transcript.OtherCircumstance
	}
	return list[i]
}

// codeCircumstances visits what a line of a message states itself. The journal has the
// version of the line, and the state the range of the message's version.
func codeCircumstances(c *codec.Coder, s *transcript.Circumstances) {
	codec.Uint(c, 30, &s.Effort)
	codec.Uint(c, 31, &s.ServiceTier)
	codec.Uint(c, 32, &s.Speed)
	codec.Uint(c, 33, &s.Entrypoint)
	codec.String(c, 34, &s.Version)
}

// codeHeldCircumstances visits those of a held message that codeCircumstances does not.
func codeHeldCircumstances(c *codec.Coder, s *circumstances) {
	codec.Uint(c, 125, &s.mode)
	codec.Uint(c, 126, &s.versionRange)
	codec.Bool(c, 127, &s.complete)
}

// stated returns the circumstances of a held message that codeCircumstances visits.
func (c *circumstances) stated() transcript.Circumstances {
	return transcript.Circumstances{Effort: c.effort, ServiceTier: c.tier, Speed: c.speed, Entrypoint: c.entrypoint}
}

// setStated sets the circumstances that codeCircumstances has visited.
func (c *circumstances) setStated(s *transcript.Circumstances) {
	c.effort, c.tier, c.speed, c.entrypoint = s.Effort, s.ServiceTier, s.Speed, s.Entrypoint
}
