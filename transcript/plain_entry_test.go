package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

func plainEntry(o plainObject) Entry {
	stamp := o.str("timestamp")
	e := Entry{
		Type:      o.str("type"),
		Time:      plainTime(stamp),
		SessionID: o.str("sessionId"),
		CWD:       o.str("cwd"),
		Sidechain: o.isTrue("isSidechain"),
	}
	if e.SessionID != "" {
		e.Session = KeyOf("session", e.SessionID)
	}
	if !slices.Contains(Types, e.Type) {
		e.Type = Unknown
		plainUnknownType(&e, o)
	}
	switch e.Type {
	case "assistant":
		plainAssistant(&e, o)
	case "user":
		plainUser(&e, o)
	case "system":
		plainSystem(&e, o)
	case "attachment":
		e.Prompt = plainQueued(o.object("attachment"), stamp)
	case "queue-operation":
		e.QueueKey = KeyOf("queue", o.str("sessionId"), stamp, o.str("operation"))
		if operation, ok := plainString(o["operation"]); ok {
			e.QueueOperation = queueOperation(operation)
		}
	case "cost-state":
		e.Reported = plainReported(o)
	}
	if uuid, ok := plainString(o["uuid"]); ok && e.needsUUID() {
		e.UUID = KeyOf("uuid", uuid)
	} else if e.Compaction != nil {
		e.UUID = KeyOf("compaction", e.SessionID, stamp)
	}
	return e
}

func plainAssistant(e *Entry, o plainObject) {
	message := o.object("message")
	if message == nil {
		return
	}
	blocks := plainBlocks(message["content"])
	if o.isTrue("isApiErrorMessage") {
		e.APIError = plainAPIError(o, plainJoin(blocks))
		if !slices.Contains(ErrorClasses, e.APIError.Class) {
			plainNote(e, "error", e.APIError.Class)
		}
	}
	e.Uses = plainUses(blocks)
	e.Results = plainResults(blocks, "", o)
	plainUnknownBlocks(e, blocks)
	plainMessage(e, message)
}

func plainUser(e *Entry, o plainObject) {
	content := o.object("message")["content"]
	blocks := plainBlocks(content)
	e.Results = plainResults(blocks, "tool_result", o)
	plainUnknownBlocks(e, blocks)
	e.Warmup = len(blocks) > 0 && blocks[0].is("type", "text") && blocks[0].is("text", "Warmup")
	kind, text := plainClassify(o, blocks)
	if kind == "" {
		return
	}
	e.Prompt = &Prompt{Kind: kind, TextKey: plainTextKey(o.str("timestamp"), content)}
	if kind == "command" || kind == "local_command" {
		e.Prompt.Name = commandName([]byte(text))
	}
}

func plainSystem(e *Entry, o plainObject) {
	subtype := o.str("subtype")
	if !slices.Contains(subtypes, subtype) {
		plainUnknownSubtype(e, o)
	}
	switch subtype {
	case "compact_boundary":
		metadata := o.object("compactMetadata")
		trigger, ok := plainString(metadata["trigger"])
		if !ok {
			trigger = "unknown"
		}
		tokens, _ := metadata.count("preTokens")
		e.Compaction = &Compaction{Trigger: Clean(trigger), PreTokens: tokens}
	case "api_error":
		e.Retry = &Retry{Status: plainRetry(o)}
	case "turn_duration":
		millis, _ := o.count("durationMs")
		e.Turn = &Turn{Milliseconds: millis}
	case "local_command":
		if text := plainTrimLeft(o.str("content")); strings.HasPrefix(text, "<command-name") {
			e.Prompt = &Prompt{Kind: subtype, Name: commandName([]byte(text)), TextKey: KeyOf("prompt", o.str("timestamp"), text)}
		}
	}
}

// plainReported reads the totals of a session in the order in which the line names
// the models first.
func plainReported(o plainObject) []ReportedUsage {
	usage, session := o.object("modelUsage"), o.str("sessionId")
	if session == "" {
		return nil
	}
	var all []ReportedUsage
	for _, model := range plainNames(o["modelUsage"]) {
		totals, _ := plainAs[plainObject](usage[model], '{')
		count := func(key string) uint64 { n, _ := totals.count(key); return n }
		r := ReportedUsage{
			Key: KeyOf("reported", session, model), Model: cmp.Or(Clean(model), "unknown"),
			Input: count("inputTokens"), Output: count("outputTokens"), Thinking: count("thinkingTokens"),
			CacheRead: count("cacheReadInputTokens"), CacheWrite: count("cacheCreationInputTokens"), WebSearches: count("webSearchRequests"),
		}
		if cost, ok := plainNumber(totals["costUSD"]); ok && cost >= 0 && math.RoundToEven(cost*1e9) <= maxCount {
			r.NanoUSD = uint64(math.RoundToEven(cost * 1e9))
		}
		all = append(all, r)
	}
	return all
}

// plainNames returns the different keys of an object in the order of the line.
func plainNames(object []byte) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var names []string
	for d.More() {
		token, _ := d.Token()
		name, _ := token.(string) // as every key of an object
		var value json.RawMessage
		_ = d.Decode(&value) // it is JSON, as a part of a line that is
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// plainBlocks reads the content of a message: a string, alone or in a list, is a
// block of type "text"; what is neither string nor object is left out.
func plainBlocks(content []byte) []plainObject {
	if _, ok := plainString(content); ok {
		content = slices.Concat([]byte("["), content, []byte("]"))
	}
	var out []plainObject
	for _, element := range plainList(content) {
		if block, ok := plainAs[plainObject](element, '{'); ok {
			out = append(out, block)
		} else if _, ok := plainString(element); ok {
			out = append(out, plainObject{"type": []byte(`"text"`), "text": element})
		}
	}
	return out
}

// plainJoin returns the texts of the blocks of type "text", a space between them.
func plainJoin(blocks []plainObject) string {
	var texts []string
	for _, b := range blocks {
		if b.is("type", "text") {
			texts = append(texts, b.str("text"))
		}
	}
	return strings.Join(texts, " ")
}

func plainAPIError(o plainObject, text string) *APIError {
	class := cmp.Or(Clean(o.str("error")), "unknown")
	if o.str("error") == "" {
		class = classInText(text, o.is("apiError", "max_output_tokens"))
	}
	status, ok := plainScalar(o["apiErrorStatus"])
	if found := statusInText.FindStringSubmatch(text); !ok && found != nil {
		status = found[1]
	}
	return &APIError{Class: class, Status: status}
}

func plainRetry(o plainObject) string {
	failure := o.object("error")
	status := failure["status"]
	if _, ok := plainNumber(status); ok && !bytes.ContainsAny(status, ".eE") {
		return Clean(string(status))
	}
	cause := failure.object("cause")
	if cause == nil {
		cause = o.object("cause")
	}
	code := func(o plainObject) string {
		if !plainTruthy(o["code"]) {
			return ""
		}
		s, _ := plainScalar(o["code"])
		return s
	}
	return cmp.Or(code(cause), code(failure.object("connection")), "unknown")
}
