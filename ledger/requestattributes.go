package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// requestAttributes are how a request was made, as the first lines of its message state
// it. docs/design/requests.md states the rule.
type requestAttributes struct {
	mode, effort, tier, speed, entrypoint transcript.Enum
	versionRange                          versionRange
	complete                              bool // further lines change nothing
}

// attributesOf returns the attributes that a line of a message states.
func attributesOf(f *fileState, m *transcript.Message) requestAttributes {
	c := &m.RequestAttributes
	return requestAttributes{f.mode, c.Effort, c.ServiceTier, c.Speed, c.Entrypoint, versionRangeOf(c.Version), m.IsFinal()}
}

// add adds the attributes of another line of the message, unless c is complete. The
// result does not depend on the order of lines without a stop reason.
func (c *requestAttributes) add(o requestAttributes) {
	if c.complete {
		return
	}
	c.complete = o.complete
	c.mode, c.effort = max(c.mode, o.mode), max(c.effort, o.effort)
	c.tier, c.speed = max(c.tier, o.tier), max(c.speed, o.speed)
	c.entrypoint = max(c.entrypoint, o.entrypoint)
	c.versionRange = c.versionRange.earlier(o.versionRange)
}

// addAttributes adds the attributes of another line of a held message, and returns all.
func (p *heldMessages) addAttributes(h *heldMessage, c requestAttributes) requestAttributes {
	o := p.details.Value(h.details)
	before := o.requestAttributes
	if o.add(c); o.requestAttributes != before {
		h.details = p.details.ID(o)
	}
	return o.requestAttributes
}

// completeAttributes records that the lines that follow do not belong to the
// request of a held message. A message that is read live is counted at this point, so
// a catch-up, which counts later, must not use more lines.
func (p *heldMessages) completeAttributes(h *heldMessage) {
	p.addAttributes(h, requestAttributes{complete: true})
}

// attributeFamilies are the families of requests by their attributes.
type attributeFamilies struct {
	mode, service, entrypoint, versionRange counters.ID
}

func newAttributeFamilies(c *core) attributeFamilies {
	return attributeFamilies{
		mode: c.declare(caveat(claudeCounter("requests_by_mode_total", "API responses, by permission mode and effort.", "permission_mode", "effort"),
			"`unknown` in most sub-agents, and before 2.1.16 (mode) and 2.1.212 (effort).")),
		service: c.declare(claudeCounter("requests_by_service_total", "API responses, by service tier and speed as stated in their usage.", "service_tier", "speed")),
		entrypoint: c.declare(caveat(claudeCounter("requests_by_entrypoint_total", "API responses, by how Claude Code was started.", "entrypoint"),
			"`unknown` before 2.1.78.")),
		versionRange: c.declare(claudeCounter("requests_by_version_range_total", "API responses, by range of versions of Claude Code that write usage in the same way.", "version_range")),
	}
}

// count counts a request by its request attributes.
func (f *attributeFamilies) count(c *core, how *requestAttributes, when int64, source SourceLabels) {
	c.add(f.mode, 1, when, source, nameOf(transcript.PermissionModes, how.mode), nameOf(transcript.Efforts, how.effort))
	c.add(f.service, 1, when, source, nameOf(transcript.ServiceTiers, how.tier), nameOf(transcript.Speeds, how.speed))
	c.add(f.entrypoint, 1, when, source, nameOf(transcript.Entrypoints, how.entrypoint))
	c.add(f.versionRange, 1, when, source, how.versionRange.name())
}

// codeAttributes visits the fields 26 to 32 of a held message.
func codeAttributes(c *table.Coder, a *requestAttributes) {
	table.Uint(c, 26, &a.mode)
	table.Uint(c, 27, &a.effort)
	table.Uint(c, 28, &a.tier)
	table.Uint(c, 29, &a.speed)
	table.Uint(c, 30, &a.entrypoint)
	table.Uint(c, 31, &a.versionRange)
	table.Bool(c, 32, &a.complete)
}

// A versionRange is a range of versions of Claude Code that write usage in the same
// way: an index in VersionRanges.
type versionRange uint8

// VersionRanges are the values of the label version_range. Their indexes are persisted.
// Only requests that were counted earlier have the former ranges. The list must not be
// modified.
var VersionRanges = []string{
	0:  transcript.Unknown,
	1:  "1.0",
	2:  "2.0",
	3:  "2.1.0-2.1.8",  // former
	4:  "2.1.9-2.1.29", // former
	5:  "2.1.30-2.1.58",
	6:  "2.1.59-2.1.96",
	7:  "2.1.97+", // former
	8:  "2.1.0-2.1.7",
	9:  "2.1.8-2.1.29",
	10: "2.1.97-2.1.306",
	11: "2.1.307+",
}

// versionRangeStarts are the first versions of VersionRanges.
var versionRangeStarts = [...]version{
	2: {2, 0, 0}, 3: {2, 1, 0}, 4: {2, 1, 9}, 5: {2, 1, 30}, 6: {2, 1, 59}, 7: {2, 1, 97},
	8: {2, 1, 0}, 9: {2, 1, 8}, 10: {2, 1, 97}, 11: {2, 1, 307},
}

// currentRanges are the ranges that versions belong to, the latest first.
var currentRanges = [...]versionRange{11, 10, 6, 5, 9, 8, 2, 1}

// versionRangeOf returns the range of a version, 0 if it is in no range.
func versionRangeOf(text string) versionRange {
	if text == "" {
		return 0
	}
	v := parseVersion(text)
	for _, r := range currentRanges {
		if v.compare(versionRangeStarts[r]) >= 0 {
			return r
		}
	}
	return 0
}

// earlier returns the range with the earlier versions. An unknown range is the latest.
func (r versionRange) earlier(o versionRange) versionRange {
	known := func(n versionRange) bool { return n > 0 && int(n) < len(versionRangeStarts) }
	switch {
	case !known(o):
		return r
	case !known(r) || versionRangeStarts[o].compare(versionRangeStarts[r]) < 0:
		return o
	}
	return r
}

// name returns the value of the label version_range. A range that only a newer version
// of this program knows is unknown.
func (r versionRange) name() string {
	if int(r) >= len(VersionRanges) {
		r = 0
	}
	return VersionRanges[r]
}

// nameOf returns the value with an index in a list. A value that only a newer version
// of this program knows is "other".
func nameOf(list []string, i transcript.Enum) string {
	if int(i) >= len(list) {
		i = transcript.EnumOther
	}
	return list[i]
}
