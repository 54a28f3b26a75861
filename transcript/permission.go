package transcript

import (
	"slices"
	"strings"
)

// A Permission states how the permission for a tool call was decided (Claude Code
// 2.1.295 and later).
type Permission struct {
	Decision string // accept or reject
	Source   string // the decider: rule, mode, once, session, hook or other
}

// PermissionDecisions are the values of Permission.Decision. It must not be modified.
var PermissionDecisions = []string{"accept", "reject"}

// denialsStated is the first version that marks calls that were refused before they
// ran. A later call without the mark was interrupted by the user.
const denialsStated = "2.1.326"

// permission reads a "permissionDecision".
func permission(v rawValue) Permission {
	decision := v.member("decision")
	for _, d := range PermissionDecisions {
		if decision.is(d) {
			return Permission{d, permissionSource(v)}
		}
	}
	return Permission{}
}

// permissionSource returns the decider of a permission: a hook; a rule, also a rule
// that a person made, and for each command in a call of Bash; the permission mode; or a
// person, for one call or for more.
func permissionSource(v rawValue) string {
	source, typ := v.member("source"), v.member("reasonType")
	switch {
	case source.is("hook"):
		return "hook"
	case typ.is("rule"), typ.is("subcommandResults"):
		return "rule"
	case typ.is("mode"):
		return "mode"
	case source.is("user_permanent"), v.member("grantScope").is("session"):
		return "session"
	case source.is("user_temporary"), source.is("user_reject"), source.is("user_abort"):
		return "once"
	case v.member("ruleSource").str() != "": // a rule to ask, in print mode
		return "rule"
	}
	return "other"
}

// errorReason returns why a tool failed: as the entry states it, or derived from the
// text of the result.
func (p *Parser) errorReason(b *rawBlock, decided Permission) string {
	if decided.Decision == "reject" {
		if decided.Source == "hook" {
			return "hook"
		}
		return "permission"
	}
	text := p.contentText(b.value)
	if hasAnyPrefix(text, userRefused) && !p.raw.deniedBefore.isTrue() && isFrom(p.version(p.raw.version), denialsStated) {
		return "interrupted"
	}
	return reasonInText(text)
}

// denial reads the run of a hook that denied a tool call, which no other entry states.
// It is read as the summary of one run, so that it does not count twice if an
// attachment states it, too.
func (p *Parser) denial(e *Entry) {
	if len(e.Results) == 0 || e.Results[0].Permission != (Permission{"reject", "hook"}) {
		return
	}
	if code := p.raw.decision.member("reasonCode").str(); strings.HasPrefix(code, "hook:") && code != "hook:"+preToolUse {
		return
	}
	e.Hooks = &Hooks{Event: preToolUse, Summary: true, Runs: []HookRun{{Outcome: HookBlocking}}}
	first := slices.IndexFunc(p.blocks, func(b rawBlock) bool { return b.useID.isString() && isClientResult(b.typ) })
	if e.Results[0].ID.IsZero() { // otherwise the id is not unique
		e.Hooks.Trigger = p.trigger(p.blocks[first].useID)
		e.Hooks.Runs[0].Command = p.hookCommand(e.Hooks.Trigger, nil)
	}
}
