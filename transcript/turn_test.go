package transcript

import (
	"strings"
	"testing"
)

func TestPendingTurn(t *testing.T) {
	for fields, want := range map[string]bool{
		``: false, `,"pendingBackgroundAgentCount":0`: false, `,"pendingBackgroundAgentCount":"1"`: false,
		`,"pendingBackgroundAgentCount":1`: true, `,"pendingWorkflowCount":2`: true,
		`,"pendingBackgroundAgentCount":0,"pendingWorkflowCount":1`: true,
	} {
		e := parseOne(t, `{"type":"system","subtype":"turn_duration","durationMs":7`+fields+`}`)
		equal(t, fields, *e.Turn, Turn{Milliseconds: 7, Pending: want})
	}
}

func TestTaskCall(t *testing.T) {
	call := KeyOf("tool", "toolu_1")
	for content, want := range map[string]Key{
		`"<task-notification>\n<task-id>a</task-id>\n<tool-use-id>toolu_1</tool-use-id>"`:                                   call,
		`"\n<task-notification><tool-use-id> toolu_1\n</tool-use-id>"`:                                                      call,
		`[{"type":"text","text":"<task-notification><tool-use-id>toolu_1</tool-use-id>` + strings.Repeat("x", 1000) + `"}]`: call,
		`[{"type":"image"},{"type":"text","text":"<task-notification><tool-use-id>toolu_1</tool-use-id>"}]`:                 {},
		`"<task-notification><task-id>a</task-id>"`:                                                                         {},
		`"see <task-notification><tool-use-id>toolu_1</tool-use-id>"`:                                                       {},
		`[]`: {},
	} {
		e := parseOne(t, `{"type":"user","origin":{"kind":"task-notification"},"message":{"content":`+content+`}}`)
		equal(t, content, e.TaskCall, want)
	}
}
