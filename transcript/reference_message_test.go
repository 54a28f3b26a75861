package transcript

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func refMessage(e *Entry, message refObject) {
	usage, model := message.object("usage"), message.str("model")
	if usage == nil || model == "<synthetic>" {
		return
	}
	m := &Message{Model: cmp.Or(Clean(model), "unknown")}
	if stop := message["stop_reason"]; refTruthy(stop) {
		s, _ := refString(stop)
		m.StopReason = cmp.Or(Clean(s), "other")
	}
	if id := message.str("id"); id != "" {
		m.Key = KeyOf("message", id)
	}
	refUnknownUsage(e, message["usage"])
	m.Usage = refUsage(e, usage)
	m.Fast, m.US = usage.is("speed", "fast"), usage.is("inference_geo", "us")
	for _, o := range refObjects(usage["iterations"]) {
		switch kind := o.str("type"); {
		case kind == "advisor_message" || kind == "compaction":
			i := Iteration{Kind: IterationKind(kind), Model: cmp.Or(Clean(o.str("model")), m.Model), Fast: m.Fast, US: m.US, Usage: refUsage(e, o)}
			if !refIsNull(o["speed"]) {
				i.Fast = o.is("speed", "fast")
			}
			if !refIsNull(o["inference_geo"]) {
				i.US = o.is("inference_geo", "us")
			}
			m.Iterations = append(m.Iterations, i)
		case !refIsNull(o["type"]) && kind != "message" && kind != "fallback_message":
			refNote(e, "iteration", kind)
		}
	}
	if m.IsFinal() && !slices.Contains(stopReasons, m.StopReason) {
		refNote(e, "stop_reason", m.StopReason)
	}
	e.Message = m
}

func refToolID(id string) (key, short Key) {
	key = KeyOf("tool", id)
	if len([]rune(id)) < 12 {
		return key, key
	}
	return key, Key{}
}

// refResponse reads the response of an entry that names its request, or that has short
// ids.
func refResponse(e *Entry, o, message refObject) {
	id, r := message.str("id"), Response{Final: refTruthy(message["stop_reason"]), Block: refBlock(o["apiBlockIndex"])}
	if id != "" {
		r.Key = KeyOf("message", id)
	}
	if ref := o.str("requestRef"); ref != "" {
		r.Ref = KeyOf("message of request", string(r.Key[:])+ref)
	}
	parent, hasParent := refString(o["parentUuid"])
	isShort := id != "" && len([]rune(id)) < 20 && hasParent
	if isShort {
		r.ID = r.Key
		line := func(uuid string) Key { return KeyOf("line", string(r.ID[:]), uuid) }
		r.Parent = line(parent)
		r.Key = KeyOf("message after", string(r.Parent[:]))
		if uuid, ok := refString(o["uuid"]); ok {
			r.Line = line(uuid)
		}
		if request, ok := refString(o["requestId"]); ok {
			r.Request = KeyOf("request", request)
		}
		r.Sent, r.Counts = refCounts(message.object("usage"))
	}
	if e.Message != nil {
		e.Message.Key = r.Key
		if r.Ref != (Key{}) {
			e.Message.Key = r.Ref
		}
	}
	if r.Ref != (Key{}) || isShort || slices.ContainsFunc(e.Uses, func(u ToolUse) bool { return u.ID != Key{} }) {
		e.Response = &r
	}
}

// refCounts digests the numbers of tokens that were sent, and these numbers with the
// output.
func refCounts(usage refObject) (sent, counts Key) {
	var text []byte
	for _, name := range []string{"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"} {
		n, _ := usage.count(name)
		sent = KeyOf("numbers", string(text))
		text = binary.AppendUvarint(text, n)
	}
	return sent, KeyOf("numbers", string(text))
}

// refBlock reads the index of a content block.
func refBlock(index []byte) BlockIndex {
	if matched, _ := regexp.Match(`^-?[0-9]+$`, index); !matched {
		return NoBlock
	} else if strings.Trim(string(index), "-0") == "" || index[0] == '-' {
		return FirstBlock
	}
	return LaterBlock
}

// refIsIncomplete reports whether the stream of a response broke off.
func refIsIncomplete(version string, message refObject) bool {
	_, stated := message["stop_details"]
	var v [3]int
	n, _ := fmt.Sscanf(version, "%d.%d.%d", &v[0], &v[1], &v[2])
	return n > 0 && !stated && len(refBlocks(message["content"])) <= 1 && refTruthy(message["stop_reason"]) && slices.Compare(v[:], []int{2, 1, 260}) >= 0
}

// refMissReason returns the change that the message states or, without one, its entry.
func refMissReason(o refObject) string {
	for _, of := range []refObject{o.object("message"), o} {
		if reason := of.object("diagnostics").object("cache_miss_reason").str("type"); slices.Contains(StatedMissReasons, reason) {
			return reason
		}
	}
	return ""
}

func refUsage(e *Entry, o refObject) Usage {
	count := func(path string) uint64 { // path is a key, or object.key
		in, key := o, path
		if object, inner, nested := strings.Cut(path, "."); nested {
			in, key = o.object(object), inner
		}
		n, ok := in.count(key)
		if !ok {
			refNote(e, "usage_key", path)
		}
		return n
	}
	written5m, written1h := count("cache_creation.ephemeral_5m_input_tokens"), count("cache_creation.ephemeral_1h_input_tokens")
	written := cmp.Or(count("cache_creation_input_tokens"), written5m+written1h)
	written1h = min(written1h, written)
	return Usage{
		Input:        count("input_tokens"),
		Output:       count("output_tokens"),
		CacheRead:    count("cache_read_input_tokens"),
		CacheWrite5m: written - written1h,
		CacheWrite1h: written1h,
		Thinking:     count("output_tokens_details.thinking_tokens"),
		WebSearches:  count("server_tool_use.web_search_requests"),
		WebFetches:   count("server_tool_use.web_fetch_requests"),
	}
}

func refUses(blocks []refObject, session string) (out []ToolUse, facts []Fact) {
	for _, b := range blocks {
		if !slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use"}, b.str("type")) {
			continue
		}
		use := ToolUse{Name: "unknown"}
		if name, ok := refString(b["name"]); ok {
			use.Name = Clean(name)
		}
		if id, ok := refString(b["id"]); ok {
			use.Key, use.ID = refToolID(id)
		}
		use.MCPServer = mcpServer(use.Name)
		facts = append(facts, refFile(use.Name, session, b.object("input"))...)
		if use.Name == "Skill" {
			input := b.object("input")
			use.SkillName = cmp.Or(Clean(input.str("skill")), Clean(input.str("command")))
		}
		out = append(out, use)
	}
	return out, facts
}

// refResults reads the tool results among the blocks: results of type typ, or of all
// types if typ is empty.
func refResults(blocks []refObject, typ string, o refObject) []ToolResult {
	added, removed := refLinesChanged(o.object("toolUseResult"))
	var out []ToolResult
	for _, b := range blocks {
		id, ok := refString(b["tool_use_id"])
		if !ok || typ != "" && b.str("type") != typ || !strings.HasSuffix(b.str("type"), "tool_result") {
			continue
		}
		text, size := refResultText(b["content"])
		key, short := refToolID(id)
		r := ToolResult{Key: key, ID: short, Error: b.isTrue("is_error"), Bytes: size, Added: added, Removed: removed, Permission: refPermission(o)}
		if r.Error {
			r.Reason = refErrorReason(o, text)
		}
		if len(out) == 0 {
			r.Searches, _ = o.object("toolUseResult").count("searchCount")
		}
		out = append(out, r)
	}
	return out
}

// refResultText returns the text of a result, and its size. Content of an unexpected
// type is returned as written, with size 0.
func refResultText(content []byte) (text string, size uint64) {
	if s, ok := refString(content); ok {
		return s, uint64(len(s))
	}
	if refIsNull(content) {
		return "", 0
	}
	if content[0] != '[' {
		return string(content), 0
	}
	var texts []string
	for _, part := range refObjects(content) {
		if s, ok := refString(part["text"]); ok {
			texts = append(texts, s)
			size += uint64(len(s))
		}
		size += uint64(len(part.object("source").str("data")))
	}
	return strings.Join(texts, " "), size
}

func refLinesChanged(result refObject) (added, removed uint64) {
	patch, ok := result["structuredPatch"]
	if !ok || patch[0] != '[' {
		return 0, 0
	}
	for _, hunk := range refObjects(patch) {
		for _, value := range refList(hunk["lines"]) {
			switch line, _ := refString(value); {
			case strings.HasPrefix(line, "+"):
				added++
			case strings.HasPrefix(line, "-"):
				removed++
			}
		}
	}
	if content := result.str("content"); content != "" && result.is("type", "create") {
		added = countLines([]byte(content))
	}
	return added, removed
}
