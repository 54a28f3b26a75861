package naive_test

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	session = regexp.MustCompile(`"sessionId":"([^"]*)"`)
	toolUse = regexp.MustCompile(`"type":"tool_use","id":"([^"]*)"`)
	stamped = regexp.MustCompile(`"timestamp":"([^"]*)"`)
)

// lines adds what generated trees do not have: lines at the end of a process,
// notifications of background work, and copies that name another session.
func (v *variation) lines(name, content string) string {
	var b strings.Builder
	call := "none"
	for i, line := range strings.SplitAfter(content, "\n") {
		id := fmt.Sprint(name, " ", i)
		if v.draw(id+"copied", 25) == 0 {
			line = v.copied(id, line)
		}
		at, owner := stamped.FindString(line), session.FindString(line)
		if i == 0 && at != "" && v.draw(id+"queue", 3) == 0 {
			_, _ = fmt.Fprintf(&b, `{"type":"queue-operation","operation":"enqueue",%s,%s}`+"\n", at, owner)
		}
		b.WriteString(line)
		if found := toolUse.FindStringSubmatch(line); found != nil && v.draw(id+"task", 3) > 0 {
			call = found[1]
		}
		if at == "" || owner == "" || !strings.HasSuffix(line, "\n") {
			continue
		}
		switch v.draw(id+"line", 25) {
		case 0:
			_, _ = fmt.Fprintf(&b, `{"type":"cost-state",%s,"modelUsage":{}}`+"\n", owner)
		case 1, 2:
			_, _ = fmt.Fprintf(&b, `{"type":"user","uuid":"task %s",%s,%s,"origin":{"kind":"task-notification"},`+
				`"message":{"content":"<task-notification>\n<tool-use-id>%s</tool-use-id>\n</task-notification>"}}`+"\n", id, at, owner, call)
		case 3:
			_, _ = fmt.Fprintf(&b, `{"type":"system","subtype":"turn_duration","uuid":"turn %s",%s,%s,"durationMs":5,"pendingBackgroundAgentCount":%d}`+"\n",
				id, at, owner, v.draw(id+"pending", 3))
		}
	}
	return b.String()
}

// copied makes a line a copy from another session, the first of a few sessions of the
// tree or a session that is in no tree.
func (v *variation) copied(id, line string) string {
	owner := session.FindString(line)
	from := fmt.Sprint("other-", v.draw(id+"from", 3))
	if len(v.sessions) > 0 {
		from = v.sessions[v.draw(id+"session", len(v.sessions))]
	}
	switch {
	case owner == "":
		return line
	case strings.Contains(line, `"type":"assistant"`) && v.draw(id+"request", 3) > 0:
		return strings.Replace(line, owner, fmt.Sprintf(`%s,"requestSessionId":%q`, owner, from), 1)
	}
	return strings.Replace(line, owner, fmt.Sprintf(`%s,"forkedFrom":{"sessionId":%q}`, owner, from), 1)
}
