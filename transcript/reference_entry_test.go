package transcript

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
)

func refEntry(o refObject) Entry {
	stamp := o.str("timestamp")
	e := Entry{
		Type:      o.str("type"),
		Time:      parseAnyTime(stamp),
		SessionID: o.str("sessionId"),
		CWD:       o.str("cwd"),
		Sidechain: o.isTrue("isSidechain"),

		PermissionMode: refPermissionMode(o),
	}
	if e.SessionID != "" {
		e.Session = KeyOf("session", e.SessionID)
		by, isStated := refString(o["requestSessionId"])
		if isStated && by != e.SessionID {
			e.RequestSession = KeyOf("session", by)
		}
		from, isFork := refString(o.object("forkedFrom")["sessionId"])
		e.Copied = isStated && by != e.SessionID || isFork && from != e.SessionID
	}
	if !slices.Contains(Types, e.Type) {
		e.Type = Unknown
		refUnknownType(&e, o, "metadata_type", o.str("type"), o.str("type"))
	}
	switch e.Type {
	case "assistant":
		refAssistant(&e, o)
		refAttribution(&e, o)
	case "user":
		refUser(&e, o)
	case "system":
		refSystem(&e, o)
	case "attachment":
		e.Prompt = refQueued(o.object("attachment"), stamp)
		e.Hooks = refHookAttachment(o.object("attachment"), stamp)
		e.LeavesPlan = o.object("attachment").is("type", "plan_mode_exit")
	case "queue-operation":
		e.QueueKey = KeyOf("queue", o.str("sessionId"), stamp, o.str("operation"))
		if operation, ok := refString(o["operation"]); ok {
			e.QueueOperation = queueOperation(operation)
		}
	case "cost-state":
		e.Reported = refReported(o)
	case "pr-link":
		e.Facts = refPullRequest(o)
	}
	if uuid, ok := refString(o["uuid"]); ok && e.needsUUID() {
		e.UUID = KeyOf("uuid", uuid)
	} else if e.Compaction != nil {
		e.UUID = KeyOf("compaction", e.SessionID, stamp)
	}
	return e
}

func refAssistant(e *Entry, o refObject) {
	message := o.object("message")
	if message == nil {
		return
	}
	blocks := refBlocks(message["content"])
	if o.isTrue("isApiErrorMessage") {
		e.APIError = refAPIError(o, refJoin(blocks))
		e.LimitHit = refLimitHit(o, e.APIError.Class, refJoin(blocks), e.Time)
		if !slices.Contains(ErrorClasses, e.APIError.Class) {
			refNote(e, "error", e.APIError.Class)
		}
	}
	e.Uses, e.Facts = refUses(blocks, cmp.Or(o.str("requestSessionId"), o.str("sessionId")))
	e.Results = refResults(blocks, "", o)
	e.Facts = append(e.Facts, refBackground(e, o)...)
	refUnknownBlocks(e, blocks)
	refMessage(e, message)
	refResponse(e, o, message)
	if e.Message != nil {
		e.Message.RequestAttributes = refRequestAttributes(o, message.object("usage"))
		e.Message.MissReason = refMissReason(o)
		e.Message.Incomplete = refIsIncomplete(e.Message.Version, message)
	}
}

// refAttribution reads the names in an assistant entry's Attribution.
func refAttribution(e *Entry, o refObject) {
	a := Attribution{
		AgentName: Clean(o.str("attributionAgent")), SkillName: Clean(o.str("attributionSkill")),
		PluginName: Clean(o.str("attributionPlugin")), MCPServer: Clean(o.str("attributionMcpServer")),
	}
	if a != (Attribution{}) {
		e.Attribution = &a
	}
}

func refUser(e *Entry, o refObject) {
	content := o.object("message")["content"]
	blocks := refBlocks(content)
	e.Results = refResults(blocks, "tool_result", o)
	e.Facts = append(refCommit(o.object("toolUseResult")), refBackground(e, o)...)
	e.Hooks = refDenial(o, blocks)
	refUnknownBlocks(e, blocks)
	e.Warmup = len(blocks) > 0 && blocks[0].is("type", "text") && blocks[0].is("text", "Warmup")
	kind, text := refClassify(o, blocks)
	if kind == "" {
		e.TaskCall = refTaskCall(blocks)
		return
	}
	e.Prompt = &Prompt{Kind: kind, TextKey: refTextKey(o.str("timestamp"), content)}
	if kind == "command" || kind == "local_command" {
		e.Prompt.Name = commandName([]byte(text))
	}
}

func refSystem(e *Entry, o refObject) {
	subtype := o.str("subtype")
	if !slices.Contains(Subtypes, subtype) {
		refUnknownType(e, o, "subtype", subtype, "system/"+subtype)
	}
	switch subtype {
	case "compact_boundary":
		metadata := o.object("compactMetadata")
		e.Compaction = &Compaction{Trigger: "unknown"}
		e.Compaction.PreTokens, _ = metadata.count("preTokens")
		e.Compaction.PostTokens, _ = metadata.count("postTokens")
		e.Compaction.Milliseconds, _ = metadata.count("durationMs")
		if trigger, ok := refString(metadata["trigger"]); ok {
			e.Compaction.Trigger = Clean(trigger)
		}
	case "api_error":
		e.Facts = []Fact{{RetryFact, Key{}, refRetry(o)}}
	case "turn_duration":
		millis, _ := o.count("durationMs")
		agents, _ := o.count("pendingBackgroundAgentCount")
		workflows, _ := o.count("pendingWorkflowCount")
		e.Turn = &Turn{Milliseconds: millis, Pending: agents+workflows > 0}
	case "stop_hook_summary":
		e.Hooks = refHookSummary(o)
	case "local_command":
		if text := refTrimLeft(o.str("content")); strings.HasPrefix(text, "<command-name") {
			e.Prompt = &Prompt{Kind: subtype, Name: commandName([]byte(text)), TextKey: KeyOf("prompt", o.str("timestamp"), text)}
		}
	}
}

// refReported reads the totals of a session in the order of the first appearance of
// models.
func refReported(o refObject) []ReportedUsage {
	usage, session := o.object("modelUsage"), o.str("sessionId")
	if session == "" {
		return nil
	}
	var all []ReportedUsage
	for _, model := range refKeys(o["modelUsage"]) {
		totals, _ := refAs[refObject](usage[model], '{')
		count := func(key string) uint64 { n, _ := totals.count(key); return n }
		r := ReportedUsage{
			Key: KeyOf("reported", session, model), Model: cmp.Or(Clean(model), "unknown"),
			Input: count("inputTokens"), Output: count("outputTokens"), Thinking: count("thinkingTokens"),
			CacheRead: count("cacheReadInputTokens"), CacheWrite: count("cacheCreationInputTokens"), WebSearches: count("webSearchRequests"),
			ContextWindow: count("contextWindow"),
		}
		if cost, ok := refNumber(totals["costUSD"]); ok && cost >= 0 && math.RoundToEven(cost*1e9) <= maxCount {
			r.NanoUSD = uint64(math.RoundToEven(cost * 1e9))
		}
		all = append(all, r)
	}
	return all
}

// refBlocks reads the content of a message. A string, alone or in an array, becomes a
// block of type "text"; other values that are not objects are skipped.
func refBlocks(content []byte) []refObject {
	if _, ok := refString(content); ok {
		content = slices.Concat([]byte("["), content, []byte("]"))
	}
	var out []refObject
	for _, element := range refList(content) {
		if block, ok := refAs[refObject](element, '{'); ok {
			out = append(out, block)
		} else if _, ok := refString(element); ok {
			out = append(out, refObject{"type": []byte(`"text"`), "text": element})
		}
	}
	return out
}

// refJoin returns the texts of the blocks of type "text", separated by spaces.
func refJoin(blocks []refObject) string {
	var texts []string
	for _, b := range blocks {
		if b.is("type", "text") {
			texts = append(texts, b.str("text"))
		}
	}
	return strings.Join(texts, " ")
}

func refAPIError(o refObject, text string) *APIError {
	class := cmp.Or(Clean(o.str("error")), "unknown")
	finer := map[string]string{"invalid_request_error": "invalid_request", "overloaded_error": "overloaded"}[o.str("apiErrorType")]
	if stated := o.str("error"); stated == "" {
		class = classInText(text, o.is("apiError", "max_output_tokens"))
	} else if finer != "" && (stated == "unknown" || stated == "server_error") {
		class = finer
	}
	status, ok := refScalar(o["apiErrorStatus"])
	if found := statusInText.FindStringSubmatch(text); !ok && found != nil {
		status = found[1]
	} else if !ok && refTimedOut(text) {
		status = "timeout"
	}
	return &APIError{Class: class, Status: status}
}

func refRetry(o refObject) string {
	failure := o.object("error")
	status := failure["status"]
	if _, ok := refNumber(status); ok && !bytes.ContainsAny(status, ".eE") {
		return Clean(string(status))
	}
	cause := failure.object("cause")
	if cause == nil {
		cause = o.object("cause")
	}
	code := func(o refObject) string {
		if !refTruthy(o["code"]) {
			return ""
		}
		s, _ := refScalar(o["code"])
		return s
	}
	known := cmp.Or(code(cause), code(failure.object("connection")))
	if known == "" && refTimedOut(failure.str("message")) {
		return "timeout"
	}
	return cmp.Or(known, "unknown")
}

func refTimedOut(text string) bool {
	return strings.HasPrefix(text, "Request timed out") || strings.HasPrefix(text, "API Error: Request timed out")
}
