package transcript

import "strings"

func refPermission(o refObject) Permission {
	d := o.object("permissionDecision")
	decision, source, typ := d.str("decision"), d.str("source"), d.str("reasonType")
	if decision != "accept" && decision != "reject" {
		return Permission{}
	}
	isUser := source == "user_temporary" || source == "user_permanent" || source == "user_reject" || source == "user_abort"
	label := "other"
	named := d.str("ruleSource") != ""
	isRule := typ == "rule" || typ == "subcommandResults"
	for _, row := range []struct {
		label string
		ok    bool
	}{
		{"rule", named}, {"once", isUser}, {"session", d.is("grantScope", "session") || source == "user_permanent"},
		{"mode", typ == "mode"}, {"rule", isRule}, {"hook", source == "hook"},
	} { // the last one counts
		if row.ok {
			label = row.label
		}
	}
	return Permission{decision, label}
}

func refErrorReason(o refObject, text string) string {
	d := o.object("permissionDecision")
	if d.is("decision", "reject") && d.is("source", "hook") {
		return "hook"
	}
	if d.is("decision", "reject") {
		return "permission"
	}
	var version [3]int
	if text := o.str("version"); IsVersion(text) {
		for i, part := range strings.Split(text, ".") {
			for _, digit := range part {
				version[i] = 10*version[i] + int(digit-'0')
			}
		}
	}
	later := version[0] > 2 || version[0] == 2 && (version[1] > 1 || version[1] == 1 && version[2] >= 326)
	if strings.HasPrefix(text, "The user doesn't want") && later && !o.isTrue("toolDenialBeforeRun") {
		return "interrupted"
	}
	return reasonInText([]byte(text))
}

// refDenial returns the run of a hook that denied the first call with a result.
func refDenial(o refObject, blocks []refObject) *Hooks {
	d := o.object("permissionDecision")
	code := d.str("reasonCode")
	if !d.is("decision", "reject") || !d.is("source", "hook") || strings.HasPrefix(code, "hook:") && code != "hook:PreToolUse" {
		return nil
	}
	for _, b := range blocks {
		id, ok := refString(b["tool_use_id"])
		if !ok || !b.is("type", "tool_result") {
			continue
		}
		h := &Hooks{Event: "PreToolUse", Summary: true, Runs: []HookRun{{Outcome: HookBlocking}}}
		if _, short := refToolID(id); short.IsZero() {
			h.Trigger = KeyOf("hook trigger", id)
			h.Runs[0].Command = KeyOf("hook command", string(h.Trigger[:]), "")
		}
		return h
	}
	return nil
}
