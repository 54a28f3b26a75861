package transcript

import (
	"bytes"
	"cmp"
	"strings"
)

// RequestAttributes are the properties of a request that a line of its message states.
type RequestAttributes struct {
	Effort      Enum // one of Efforts
	ServiceTier Enum // one of ServiceTiers
	Speed       Enum // one of Speeds
	Entrypoint  Enum // one of Entrypoints
	// Version is the version of Claude Code: one to three numbers, separated by dots. It
	// is empty if the line states none.
	Version string
}

// An Enum is the index of a value in one of the lists below.
type Enum uint8

// The request attributes that every list has. Their numbers are persisted.
const (
	EnumUnknown Enum = 0 // the line does not state it
	EnumOther   Enum = 1 // a value that is not in the list
)

// The lists of request attributes, which must not be modified. Their indexes are
// persisted. If the lines of a message differ, the value with the larger index counts.
// A new value gets the next index, so it has the highest rank: even a new permission
// mode that allows less than the older modes.
var (
	// PermissionModes are in ascending order of the actions that they allow.
	PermissionModes = []string{
		EnumUnknown: Unknown, EnumOther: other, PlanMode: "plan", 3: "delegate", 4: "default", 5: "dontAsk",
		6: "acceptEdits", 7: "auto", 8: "bypassPermissions",
	}
	Efforts      = []string{EnumUnknown: Unknown, EnumOther: other, 2: "low", 3: "medium", 4: "high", 5: "xhigh", 6: "max"}
	ServiceTiers = []string{EnumUnknown: Unknown, EnumOther: other, 2: "standard", 3: "default", 4: "batch", 5: "flex", 6: "priority"}
	Speeds       = []string{EnumUnknown: Unknown, EnumOther: other, 2: "standard", 3: "fast"}
	Entrypoints  = []string{
		EnumUnknown: Unknown, EnumOther: other, 2: "cli", 3: "claude-vscode", 4: "claude-desktop", 5: "sdk-cli",
		6: "sdk-ts", 7: "sdk-py", 8: "mcp", 9: "claude-code-github-action", 10: "local-agent", 11: "remote",
		12: "remote_cowork", 13: "remote_desktop", 14: "remote_mobile",
	}
)

const other = "other"

// PlanMode is the permission mode "plan": Claude only plans. Its number is persisted.
const PlanMode Enum = 2

// requestAttributes reads the attributes of a message from its entry and its usage.
func (p *Parser) requestAttributes() RequestAttributes {
	r := &p.raw
	stated := [...]rawValue{r.turnEffort, r.effort, r.message.usage.tier, r.message.usage.speed, r.entrypoint, r.version}
	same := true
	for i, v := range stated {
		if !bytes.Equal(v, p.attributesRaw[i]) {
			p.attributesRaw[i], same = append(p.attributesRaw[i][:0], v...), false
		}
	}
	if same {
		return p.latestAttributes
	}
	effort := p.enum(stated[0], Efforts)
	if effort == EnumUnknown {
		effort = p.enum(stated[1], Efforts)
	}
	p.latestAttributes = RequestAttributes{
		Effort:      effort,
		ServiceTier: p.enum(stated[2], ServiceTiers),
		Speed:       p.enum(stated[3], Speeds),
		Entrypoint:  p.enum(stated[4], Entrypoints),
		Version:     p.version(stated[5]),
	}
	return p.latestAttributes
}

// enum returns the index of a string in a list. Any other value and an empty
// string are unknown.
func (p *Parser) enum(v rawValue, list []string) Enum {
	text := p.text(v)
	if len(text) == 0 {
		return EnumUnknown
	}
	for i, name := range list {
		if string(text) == name {
			return Enum(i)
		}
	}
	return EnumOther
}

// maxVersionDigits is the maximum number of digits of each number of a version.
const maxVersionDigits = 5

// version returns the version of Claude Code, "" for anything else.
func (p *Parser) version(v rawValue) string {
	text := p.text(v)
	if !IsVersion(text) {
		return ""
	}
	return p.names.string(text)
}

// isFrom reports whether a version, empty if it is unknown, is not before another
// version.
func isFrom(version, first string) bool {
	for first != "" {
		var number, least string
		number, version, _ = strings.Cut(version, ".")
		least, first, _ = strings.Cut(first, ".")
		if c := cmp.Or(cmp.Compare(len(number), len(least)), strings.Compare(number, least)); c != 0 {
			return c > 0
		}
	}
	return true
}

// IsVersion reports whether a text is one to three numbers without leading zeros,
// separated by dots.
func IsVersion[T string | []byte](text T) bool {
	dots, digits := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.' && digits > 0:
			dots, digits = dots+1, 0
		case c-'0' > 9, digits == maxVersionDigits, digits == 1 && text[i-1] == '0':
			return false
		default:
			digits++
		}
	}
	return digits > 0 && dots <= 2
}
