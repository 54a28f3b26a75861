package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// refClassify returns the kind of a prompt and the text that decides it. Both are empty
// if the entry is not a prompt.
func refClassify(o refObject, blocks []refObject) (kind, text string) {
	switch {
	case slices.ContainsFunc(blocks, func(b refObject) bool { return strings.HasSuffix(b.str("type"), "tool_result") }):
		return "", ""
	case slices.ContainsFunc(blocks, func(b refObject) bool {
		return b.is("type", "text") && strings.HasPrefix(refTrimLeft(b.str("text")), "[Request interrupted by user")
	}):
		return Interruption, ""
	case o.isTrue("isMeta"), o.isTrue("isCompactSummary"), o.isTrue("isVisibleInTranscriptOnly"),
		!refIsHuman(o.object("origin")), o.is("promptSource", "system"), o.isTrue("turnCompanion"):
		return "", ""
	}
	text, found := refTyped(blocks)
	_, hasSource := refString(o["promptSource"])
	if !found || hasAnyPrefix([]byte(text), machineTags...) || !hasSource && refTrimSpace(text) == "/compact" {
		return "", ""
	}
	return refKind(o, text), text
}

// refTaskCall returns the key of the tool call in a notification.
func refTaskCall(blocks []refObject) Key {
	if len(blocks) == 0 || !blocks[0].is("type", "text") {
		return Key{}
	}
	text := blocks[0].str("text")
	_, rest, _ := strings.Cut(text, "<tool-use-id>")
	id, _, ok := strings.Cut(rest, "</tool-use-id>")
	if !ok || !strings.HasPrefix(refTrimLeft(text), "<task-notification") {
		return Key{}
	}
	return KeyOf("tool", strings.TrimSpace(id))
}

func refIsHuman(origin refObject) bool {
	return refIsNull(origin["kind"]) || origin.is("kind", "human")
}

// refTyped returns the first text that an editor did not add. found is whether there is
// such a text, an image or a document.
func refTyped(blocks []refObject) (text string, found bool) {
	for _, b := range blocks {
		switch b.str("type") {
		case "image", "document":
			found = true
		case "text":
			s := refTrimLeft(b.str("text"))
			if s != "" && !hasAnyPrefix([]byte(s), contextTags...) {
				return s, true
			}
		}
	}
	return "", found
}

func refKind(o refObject, text string) string {
	switch {
	case strings.HasPrefix(text, "<bash-input"):
		return "bash"
	case strings.HasPrefix(text, "<command-message"):
		return "command"
	case strings.HasPrefix(text, "<command-name"):
		return "local_command"
	case o.is("promptSource", "sdk"), strings.HasPrefix(o.str("entrypoint"), "sdk"):
		return "sdk"
	}
	return "text"
}

func refQueued(attachment refObject, stamp string) *Prompt {
	if !attachment.is("type", "queued_command") || !attachment.is("commandMode", "prompt") ||
		attachment.isTrue("isMeta") || !refIsHuman(attachment.object("origin")) {
		return nil
	}
	text, ok := refString(attachment["prompt"])
	if !ok {
		text = refJoin(refObjects(attachment["prompt"]))
	}
	text = refTrimLeft(text)
	if hasAnyPrefix([]byte(text), machineTags...) {
		return nil
	}
	return &Prompt{Kind: "queued", TextKey: KeyOf("queued", stamp, text)}
}

func refTrimSpace(s string) string {
	return strings.TrimRightFunc(refTrimLeft(s), func(r rune) bool { return refTrimLeft(string(r)) == "" })
}

func refTrimLeft(s string) string { return string(trimLeft([]byte(s))) }

// refTextKey returns the key of a prompt with this time and content.
func refTextKey(stamp string, content []byte) Key {
	if text, ok := refString(content); ok {
		return KeyOf("prompt", stamp, text)
	}
	blocks := refDigest(refAny(content))
	return KeyOf("prompt", stamp, string(blocks[:]))
}

// refAny decodes a value, with its numbers as written.
func refAny(value []byte) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	_ = d.Decode(&v) // always valid, because the line is
	return v
}

// refDigest digests a decoded value. Of equal keys, the decoder keeps the last.
func refDigest(v any) Key {
	switch v := v.(type) {
	case []any:
		var elements []byte
		for _, element := range v {
			k := refDigest(element)
			elements = append(elements, k[:]...)
		}
		return KeyOf("array", string(elements))
	case map[string]any:
		var members []string
		for name, value := range v {
			k, d := KeyOf("key", name), refDigest(value)
			members = append(members, string(k[:])+string(d[:]))
		}
		slices.Sort(members)
		return KeyOf("object", strings.Join(members, ""))
	case string:
		return KeyOf("string", v)
	case nil:
		return KeyOf("value", "null")
	}
	return KeyOf("value", fmt.Sprint(v)) // true, false, or a number as written
}
