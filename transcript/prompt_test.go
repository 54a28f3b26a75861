package transcript

import (
	"slices"
	"strings"
	"testing"
)

func TestPromptKind(t *testing.T) {
	for _, tt := range []struct {
		name, fields string // fields of the user entry beside type
		kind         string // "" for no prompt
		command      string
	}{
		{name: "string", fields: `"message":{"content":"do it"}`, kind: "text"},
		{name: "blocks", fields: `"message":{"content":[{"type":"text","text":"do it"}]}`, kind: "text"},
		{name: "string in a list", fields: `"message":{"content":["do it"]}`, kind: "text"},
		{name: "image alone", fields: `"message":{"content":[{"type":"image"}]}`, kind: "text"},
		{name: "document alone", fields: `"message":{"content":[{"type":"document"}]}`, kind: "text"},
		{name: "file opened, then text", fields: `"message":{"content":[{"type":"text","text":"<ide_opened_file>x"},{"type":"text","text":"do it"}]}`, kind: "text"},
		{name: "file opened alone", fields: `"message":{"content":[{"type":"text","text":"<ide_opened_file>x"}]}`},
		{name: "selection and image", fields: `"message":{"content":[{"type":"text","text":" <ide_selection>x"},{"type":"image"}]}`, kind: "text"},
		{name: "reminder, then output", fields: `"message":{"content":[{"type":"text","text":"<system-reminder>"},{"type":"text","text":"<bash-stdout>x"}]}`},
		{name: "blank", fields: `"message":{"content":" \n\u2003\u001d"}`},
		{name: "empty list", fields: `"message":{"content":[]}`},
		{name: "no content", fields: `"message":{}`},
		{name: "content of the wrong type", fields: `"message":{"content":{"type":"text","text":"do it"}}`},
		{name: "message of the wrong type", fields: `"message":"do it"`},
		{name: "no message", fields: `"content":"do it"`},
		{name: "text of the wrong type", fields: `"message":{"content":[{"type":"text","text":["do it"]}]}`},
		{name: "unknown block", fields: `"message":{"content":[{"type":"thought","text":"do it"}]}`},

		{name: "result", fields: `"message":{"content":[{"type":"text","text":"do it"},{"type":"tool_result"}]}`},
		{name: "server's result", fields: `"message":{"content":[{"type":"web_fetch_tool_result"},{"type":"text","text":"do it"}]}`},
		{name: "result and interruption", fields: `"message":{"content":[{"type":"tool_result"},{"type":"text","text":"[Request interrupted by user]"}]}`},

		{name: "interruption", fields: `"message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}`, kind: Interruption},
		{name: "interruption of a tool", fields: `"message":{"content":" \u00a0[Request interrupted by user for tool use]"}`, kind: Interruption},
		{name: "interruption in a later block", fields: `"message":{"content":["<bash-stdout>",{"type":"text","text":"[Request interrupted by user]"}]}`, kind: Interruption},
		{name: "interruption of a meta entry", fields: `"isMeta":true,"message":{"content":"[Request interrupted by user]"}`, kind: Interruption},
		{name: "interruption quoted", fields: `"message":{"content":"I saw [Request interrupted by user]"}`, kind: "text"},

		{name: "meta", fields: `"isMeta":true,"message":{"content":"do it"}`},
		{name: "not exactly meta", fields: `"isMeta":"true","isCompactSummary":1,"isVisibleInTranscriptOnly":null,"message":{"content":"do it"}`, kind: "text"},
		{name: "summary", fields: `"isCompactSummary":true,"message":{"content":"do it"}`},
		{name: "companion of a turn", fields: `"turnCompanion":true,"message":{"content":"do it"}`},
		{name: "not exactly companion", fields: `"turnCompanion":"true","message":{"content":"do it"}`, kind: "text"},
		{name: "interruption of a companion", fields: `"turnCompanion":true,"message":{"content":"[Request interrupted by user]"}`, kind: Interruption},
		{name: "only visible", fields: `"isVisibleInTranscriptOnly":true,"message":{"content":"do it"}`},
		{name: "origin human", fields: `"origin":{"kind":"human"},"message":{"content":"do it"}`, kind: "text"},
		{name: "origin null", fields: `"origin":{"kind":null},"message":{"content":"do it"}`, kind: "text"},
		{name: "origin of the wrong type", fields: `"origin":"task","message":{"content":"do it"}`, kind: "text"},
		{name: "origin other", fields: `"origin":{"kind":"task-notification"},"message":{"content":"do it"}`},
		{name: "origin kind of the wrong type", fields: `"origin":{"kind":0},"message":{"content":"do it"}`},
		{name: "source system", fields: `"promptSource":"system","message":{"content":"do it"}`},

		{name: "bash", fields: `"message":{"content":"<bash-input>ls</bash-input>"}`, kind: "bash"},
		{name: "command", fields: `"message":{"content":"<command-message>review is running</command-message>\n<command-name>/review</command-name>"}`, kind: "command", command: "review"},
		{name: "local command", fields: `"message":{"content":"<command-name>/clear</command-name>\n<command-message>clear</command-message>"}`, kind: "local_command", command: "clear"},
		{name: "local command after context", fields: `"message":{"content":[{"type":"text","text":"<ide_selection>"},{"type":"text","text":"\n<command-name>mcp</command-name>"}]}`, kind: "local_command", command: "mcp"},
		{name: "command to be cleaned", fields: `"message":{"content":"<command-name> /a:\nb </command-name>"}`, kind: "local_command", command: "a:b"},
		{name: "command named in its message", fields: `"message":{"content":"<command-message>x</command-message>"}`, kind: "command", command: "x"},
		{name: "command without a name", fields: `"message":{"content":"<command-message>x"}`, kind: "command"},
		{name: "command without an end", fields: `"message":{"content":"<command-name>/x"}`, kind: "local_command"},
		{name: "name in plain text", fields: `"message":{"content":"see <command-name>/x</command-name>"}`, kind: "text"},

		{name: "copy of a command", fields: `"message":{"content":"\u2003/compact \n"}`},
		{name: "copy of a command in a block", fields: `"message":{"content":[{"type":"text","text":"<ide_selection>"},{"type":"text","text":"/compact"},{"type":"image"}]}`},
		{name: "copy of a command by sdk", fields: `"entrypoint":"sdk-cli","message":{"content":"/compact"}`},
		{name: "copy of a command with much space", fields: `"message":{"content":"/compact` + strings.Repeat(" ", 600) + `"}`},
		{name: "command typed as text", fields: `"promptSource":"typed","message":{"content":"/compact"}`, kind: "text"},
		{name: "command with arguments", fields: `"message":{"content":"/compact it"}`, kind: "text"},
		{name: "command with distant arguments", fields: `"message":{"content":"/compact` + strings.Repeat(" ", 600) + `it"}`, kind: "text"},
		{name: "another command", fields: `"message":{"content":"/compactor"}`, kind: "text"},

		{name: "sdk", fields: `"promptSource":"sdk","message":{"content":"do it"}`, kind: "sdk"},
		{name: "sdk by entrypoint", fields: `"entrypoint":"sdk-py","message":{"content":"do it"}`, kind: "sdk"},
		{name: "command by sdk", fields: `"entrypoint":"sdk-ts","message":{"content":"<command-name>/x</command-name>"}`, kind: "local_command", command: "x"},
		{name: "cli", fields: `"entrypoint":"cli","promptSource":"typed","message":{"content":"do it"}`, kind: "text"},
		{name: "side chain", fields: `"isSidechain":true,"message":{"content":"do it"}`, kind: "text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := parseOne(t, `{"type":"user",`+tt.fields+`}`).Prompt
			if p == nil {
				p = &Prompt{}
			}
			equal(t, "kind", p.Kind, tt.kind)
			equal(t, "name", p.Name, tt.command)
			equal(t, "has a key", !p.TextKey.IsZero(), tt.kind != "")
		})
	}
}

func TestMachineText(t *testing.T) {
	for _, tag := range machineTags {
		e := parseOne(t, `{"type":"user","message":{"content":" `+tag+` x"}}`)
		if e.Prompt != nil {
			t.Errorf("prompt of %q = %+v, want none", tag, *e.Prompt)
		}
	}
}

// Only the beginning of a long text is decoded to classify it.
func TestLongTexts(t *testing.T) {
	c := newComparer()
	tags := slices.Concat(machineTags, contextTags, []string{
		"[Request interrupted by user", "<bash-input", "<command-message>x</command-message>", "<command-name>/x</command-name>", "text",
	})
	for _, tag := range tags {
		for _, before := range []string{"", " ", `\n`, `\u0020`, "\u00a0", "é", "\xff", `\ud83d`} {
			for _, n := range []int{1, 42, 43, 127, 128, 255, 300} {
				for _, after := range []string{"x", `\ud83d\ude00`, "<command-name>/y</command-name>"} {
					text := strings.Repeat(before, n) + tag + strings.Repeat(after, 600/len(after))
					c.compare(t, []byte(`{"type":"user","message":{"content":"`+text+`"}}`), false)
				}
			}
		}
		if n := len(tag); n > beginningLength/2 {
			t.Errorf("%q has %d bytes, more than are decoded", tag, n)
		}
	}
}

func TestPromptTextKey(t *testing.T) {
	const stamp = "2026-02-03T04:05:06.789Z"
	key := func(timestamp, content string) Key {
		t.Helper()
		return parseOne(t, `{"type":"user","timestamp":`+timestamp+`,"message":{"content":`+content+`}}`).Prompt.TextKey
	}
	equal(t, "string", key(`"`+stamp+`"`, `"d\u006f it "`), KeyOf("prompt", stamp, "do it "))
	equal(t, "no timestamp", key(`null`, `"do it"`), KeyOf("prompt", "", "do it"))
	equal(t, "timestamp as written", key(`"then"`, `"do it"`), KeyOf("prompt", "then", "do it"))
	equal(t, "order of keys", key(`"x"`, `[{"text":"do it", "type":"text","n":{"b":1,"a":[2]}}]`),
		key(`"x"`, `[{"type":"text","n":{"a":[2],"b":1},"text":"do \u0069t"}]`))
	equal(t, "key that is not UTF-8", key(`"x"`, "[\"a\",{\"\xff\":1}]"), key(`"x"`, `["a",{"\ufffd":1}]`))
	equal(t, "key that is not UTF-8, with an escape", key(`"x"`, "[\"a\",{\"\xffb\":1}]"), key(`"x"`, "[\"a\",{\"\xff\\u0062\":1}]"))
	equal(t, "equal keys", key(`"x"`, `["a",{"k":1,"b":2,"\u006b":3}]`), key(`"x"`, `["a",{"b":2,"k":3}]`))
	equal(t, "numbers as written", key(`"x"`, `["a",1.0]`) == key(`"x"`, `["a",1]`), false)
	equal(t, "order of blocks is ignored", key(`"x"`, `["a","b"]`) == key(`"x"`, `["b","a"]`), false)
	equal(t, "content with a number out of range", key(`"x"`, `["a",1e999]`) == key(`"x"`, `["b",1e999]`), false)
}

func TestQueuedPrompt(t *testing.T) {
	for _, tt := range []struct {
		name, attachment string
		text             string // of the key
		none             bool
	}{
		{name: "string", attachment: `{"type":"queued_command","commandMode":"prompt","prompt":"\n go on "}`, text: "go on "},
		{name: "blocks", attachment: `{"type":"queued_command","commandMode":"prompt","prompt":[{"type":"text","text":"go"},{"type":"image"},{"type":"text","text":"on"},"x"]}`, text: "go on"},
		{name: "no text", attachment: `{"type":"queued_command","commandMode":"prompt"}`},
		{name: "human", attachment: `{"type":"queued_command","commandMode":"prompt","prompt":"go","origin":{"kind":"human"}}`, text: "go"},
		{name: "other origin", attachment: `{"type":"queued_command","commandMode":"prompt","prompt":"go","origin":{"kind":"coordinator"}}`, none: true},
		{name: "notification", attachment: `{"type":"queued_command","commandMode":"task-notification","prompt":"go"}`, none: true},
		{name: "no mode", attachment: `{"type":"queued_command","prompt":"go"}`, none: true},
		{name: "meta", attachment: `{"type":"queued_command","commandMode":"prompt","prompt":"go","isMeta":true}`, none: true},
		{name: "machine", attachment: `{"type":"queued_command","commandMode":"prompt","prompt":" <task-notification>x"}`, none: true},
		{name: "other attachment", attachment: `{"type":"file","commandMode":"prompt","prompt":"go"}`, none: true},
		{name: "odd attachment", attachment: `["queued_command"]`, none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want *Prompt
			if !tt.none {
				want = &Prompt{Kind: "queued", TextKey: KeyOf("queued", "now", tt.text)}
			}
			e := parseOne(t, `{"type":"attachment","timestamp":"now","attachment":`+tt.attachment+`}`)
			equal(t, "prompt", e.Prompt, want)
		})
	}
}

func TestWarmup(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"user","message":{"content":"Warmup"}}`:                                                      true,
		`{"type":"user","message":{"content":["Warmup","more"]}}`:                                             true,
		`{"type":"user","isSidechain":true,"message":{"content":[{"type":"text","text":"Warmup"}]}}`:          true,
		`{"type":"user","message":{"content":"Warmup "}}`:                                                     false,
		`{"type":"user","message":{"content":[{"type":"tool_result","text":"Warmup"}]}}`:                      false,
		`{"type":"user","message":{"content":[{"type":"image"},{"type":"text","text":"Warmup"}]}}`:            false,
		`{"type":"user","message":{"content":[]}}`:                                                            false,
		`{"type":"assistant","message":{"content":"Warmup"}}`:                                                 false,
		`{"type":"user","message":"Warmup"}`:                                                                  false,
		`{"type":"user","message":{"content":[7,{"type":"text","text":"Warmup"}]}}`:                           true,
		`{"type":"user","message":{"content":[{"type":"text","text":null},{"type":"text","text":"Warmup"}]}}`: false,
	} {
		equal(t, line, parseOne(t, line).Warmup, want)
	}
}

// Blocks beyond maxParts are not read, but validated.
func TestManyBlocks(t *testing.T) {
	for _, element := range []string{`{},`, `"",`} {
		line := func(n int, end string) string {
			return `{"type":"user","message":{"content":[` + strings.Repeat(element, n) + end + `}}`
		}
		equal(t, "last block is read", parseOne(t, line(maxParts-1, `"do it"]`)).Prompt != nil, true)
		equal(t, "block after it is read", parseOne(t, line(maxParts, `"do it"]`)).Prompt != nil, false)
		equal(t, "invalid JSON after it", parse([]byte(line(maxParts, `01]`)), false), reading{Problem: Garbage})
	}
	queued := parseOne(t, `{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[`+
		strings.Repeat(`{},`, maxParts)+`{"type":"text","text":"<task-notification"}]}}`)
	equal(t, "later block of an attachment is read", queued.Prompt == nil, false)
	advised := parseOne(t, `{"type":"assistant","message":{"usage":{"iterations":[`+strings.Repeat(`{"type":"advisor_message"},`, maxParts)+
		`{"type":"message"},{"type":"advisor_message"}]}}}`)
	equal(t, "iterations", len(advised.Message.Iterations), maxParts)
}

func TestLocalCommandInSystemEntry(t *testing.T) {
	const stamp = `"timestamp":"2026-05-01T10:00:01.000Z",`
	for _, tt := range []struct {
		name, fields, command string
		none                  bool
	}{
		{name: "command", fields: `"subtype":"local_command","content":" <command-name>/usage</command-name>"`, command: "usage"},
		{name: "output", fields: `"subtype":"local_command","content":"<local-command-stdout>ok</local-command-stdout>"`, none: true},
		{name: "message first", fields: `"subtype":"local_command","content":"<command-message>usage</command-message>"`, none: true},
		{name: "no text", fields: `"subtype":"local_command","content":{"a":"<command-name>"}`, none: true},
		{name: "another subtype", fields: `"subtype":"informational","content":"<command-name>/usage</command-name>"`, none: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parseOne(t, `{"type":"system","uuid":"u",`+stamp+tt.fields+`}`)
			if tt.none {
				equal(t, "prompt", e.Prompt, nil)
				return
			}
			text := KeyOf("prompt", "2026-05-01T10:00:01.000Z", "<command-name>/usage</command-name>")
			equal(t, "prompt", e.Prompt, &Prompt{Kind: "local_command", Name: tt.command, TextKey: text})
			equal(t, "uuid", e.UUID, KeyOf("uuid", "u"))
		})
	}
	user := parseOne(t, `{"type":"user",`+stamp+`"message":{"content":"<command-name>/usage</command-name>"}}`)
	system := parseOne(t, `{"type":"system",`+stamp+`"subtype":"local_command","content":"<command-name>/usage</command-name>"}`)
	equal(t, "text key of both forms", system.Prompt.TextKey, user.Prompt.TextKey)
}
