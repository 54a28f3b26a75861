package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// plainClassify returns the kind of a prompt and the text that decides it; both
// are empty for what is no prompt.
func plainClassify(o plainObject, blocks []plainObject) (kind, text string) {
	switch {
	case slices.ContainsFunc(blocks, func(b plainObject) bool { return strings.HasSuffix(b.str("type"), "tool_result") }):
		return "", ""
	case slices.ContainsFunc(blocks, func(b plainObject) bool {
		return b.is("type", "text") && strings.HasPrefix(plainTrimLeft(b.str("text")), "[Request interrupted by user")
	}):
		return Interruption, ""
	case o.isTrue("isMeta"), o.isTrue("isCompactSummary"), o.isTrue("isVisibleInTranscriptOnly"),
		!plainIsHuman(o.object("origin")), o.is("promptSource", "system"), o.isTrue("turnCompanion"):
		return "", ""
	}
	text, found := plainTyped(blocks)
	if !found || beginsWith([]byte(text), machineTags...) {
		return "", ""
	}
	return plainKind(o, text), text
}

func plainIsHuman(origin plainObject) bool {
	return plainIsNull(origin["kind"]) || origin.is("kind", "human")
}

// plainTyped returns the first text that is not an editor's. found reports whether
// there is one, or an image or a document.
func plainTyped(blocks []plainObject) (text string, found bool) {
	for _, b := range blocks {
		switch b.str("type") {
		case "image", "document":
			found = true
		case "text":
			s := plainTrimLeft(b.str("text"))
			if s != "" && !beginsWith([]byte(s), contextTags...) {
				return s, true
			}
		}
	}
	return "", found
}

func plainKind(o plainObject, text string) string {
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

func plainQueued(attachment plainObject, stamp string) *Prompt {
	if !attachment.is("type", "queued_command") || !attachment.is("commandMode", "prompt") ||
		attachment.isTrue("isMeta") || !plainIsHuman(attachment.object("origin")) {
		return nil
	}
	text, ok := plainString(attachment["prompt"])
	if !ok {
		text = plainJoin(plainObjects(attachment["prompt"]))
	}
	text = plainTrimLeft(text)
	if beginsWith([]byte(text), machineTags...) {
		return nil
	}
	return &Prompt{Kind: "queued", TextKey: KeyOf("queued", stamp, text)}
}

func plainTrimLeft(s string) string { return string(trimLeft([]byte(s))) }

// plainTextKey is the key of a prompt with this time and content.
func plainTextKey(stamp string, content []byte) Key {
	if text, ok := plainString(content); ok {
		return KeyOf("prompt", stamp, text)
	}
	blocks := plainDigest(plainAny(content))
	return KeyOf("prompt", stamp, string(blocks[:]))
}

// plainAny decodes a value, with its numbers as they are written.
func plainAny(value []byte) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	_ = d.Decode(&v) // it is JSON, as a part of a line that is
	return v
}

// plainDigest digests a decoded value. Of equal keys, the decoder has kept the last.
func plainDigest(v any) Key {
	switch v := v.(type) {
	case []any:
		var elements []byte
		for _, element := range v {
			k := plainDigest(element)
			elements = append(elements, k[:]...)
		}
		return KeyOf("array", string(elements))
	case map[string]any:
		var members []string
		for name, value := range v {
			k, d := KeyOf("key", name), plainDigest(value)
			members = append(members, string(k[:])+string(d[:]))
		}
		slices.Sort(members)
		return KeyOf("object", strings.Join(members, ""))
	case string:
		return KeyOf("string", v)
	case nil:
		return KeyOf("value", "null")
	}
	return KeyOf("value", fmt.Sprint(v)) // true, false, or a number as it is written
}
