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

// An Enum is the index of a value in one of the lists below. The saved state contains
// these indexes, so the lists may only grow.
type Enum uint8

// The request attributes that every list has.
const (
	EnumUnknown Enum = iota // not stated
	EnumOther               // a value that is not in the list
)

// The lists of request attributes, which must not be modified. If the lines of a
// message differ, the value that comes later in its list counts. A new value can only
// be appended, so it has the highest rank: even a new permission mode that allows less
// than the older modes.
var (
	// PermissionModes are in ascending order of the actions that they allow.
	PermissionModes = []string{
		Unknown, other, "plan", "delegate", "default", "dontAsk", "acceptEdits", "auto", "bypassPermissions",
	}
	Efforts      = []string{Unknown, other, "low", "medium", "high", "xhigh", "max"}
	ServiceTiers = []string{Unknown, other, "standard", "default", "batch", "flex", "priority"}
	Speeds       = []string{Unknown, other, "standard", "fast"}
	Entrypoints  = []string{
		Unknown, other, "cli", "claude-vscode", "claude-desktop", "sdk-cli", "sdk-ts", "sdk-py", "mcp",
		"claude-code-github-action", "local-agent", "remote", "remote_cowork", "remote_desktop", "remote_mobile",
	}
)

const other = "other"

// PlanMode is the permission mode "plan": Claude only plans.
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
