package naive

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A response is the latest message with an id in a file.
type response struct {
	key   string
	final bool // some line of it has a stop reason
	line  *Line
}

// ids resolves ids that are too short to be unique from the lines of a file so far, by
// the rule in ledger/shortids.go.
type ids struct {
	path      string
	responses map[string]response  // by message id
	lines     map[[2]string]string // keys of messages, by message id and uuid
	calls     map[string]string    // keys of the latest calls, by id
}

// A result is the result of a tool in an entry.
type result struct {
	Entry
	key string // of its call
}

// identify sets the keys of the message, calls and results in the next line of the
// file.
func (k *ids) identify(l *Line) {
	if _, ok := l.At("message").(map[string]any); ok && l.Text("type") == "assistant" {
		message := k.message(l)
		_, hasUsage := l.At("message", "usage").(map[string]any)
		if hasUsage && l.At("message", "model") != "<synthetic>" {
			l.key = message
		}
		for i, call := range l.Calls() {
			l.calls = append(l.calls, k.call(l, message, i, call))
		}
	}
	for _, block := range l.Objects("message", "content") {
		if id, ok := block.At("tool_use_id").(string); ok && isResultType(l.Text("type"), block.Text("type")) {
			l.results = append(l.results, result{block, k.result(id)})
		}
	}
}

func (k *ids) message(l *Line) string {
	id, parent := l.Text("message", "id"), l.At("parentUuid")
	switch ref := l.Text("requestRef"); {
	case ref != "":
		return fmt.Sprintf("id %q of request %s", id, ref)
	case id == "":
		return "uuid " + l.id()
	case utf8.RuneCountInString(id) >= 20 || !isText(parent):
		return "id " + id
	}
	r, known := k.responses[id]
	if key, ok := k.continued(&r, l, id, text(parent)); known && ok {
		r.key = key
	} else {
		r = response{key: fmt.Sprintf("id %s after %s", id, parent)}
	}
	r.line, r.final = l, r.final || l.isFinal()
	k.responses[id], k.lines[[2]string{id, l.id()}] = r, r.key
	return r.key
}

// continued returns the key of the message with an id that a line continues, if it
// does not begin another.
func (k *ids) continued(r *response, l *Line, id, parent string) (key string, ok bool) {
	if block, isNumber := l.At("apiBlockIndex").(json.Number); isNumber && !strings.ContainsAny(string(block), ".eE") {
		n, _ := block.Float64()
		return r.key, n > 0
	}
	if key, ok := k.lines[[2]string{id, parent}]; ok {
		return key, true
	}
	if r.line == nil {
		return "", false
	}
	before, now := r.line.At("requestId"), l.At("requestId")
	if isText(before) && isText(now) {
		return r.key, before == now
	}
	names := []string{"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}
	if r.final {
		names = append(names, "output_tokens")
	}
	for _, name := range names {
		if r.line.usage().Count(name) != l.usage().Count(name) {
			return "", false
		}
	}
	return r.key, true
}

func (k *ids) call(l *Line, message string, i int, call Entry) string {
	id, ok := call.At("id").(string)
	if !ok {
		return fmt.Sprint("without id ", l.id(), " ", i)
	}
	if isShortCall(id) {
		key := fmt.Sprintf("id %s of %s", id, message)
		k.calls[id] = key
		return key
	}
	return "id " + id
}

func (k *ids) result(id string) string {
	if !isShortCall(id) {
		return "id " + id
	}
	if key, ok := k.calls[id]; ok {
		return key
	}
	return k.early(id)
}

// early returns the key of a result whose short id no call in the file had so far.
func (k *ids) early(id string) string { return fmt.Sprintf("id %s in %s", id, k.path) }

func isShortCall(id string) bool { return utf8.RuneCountInString(id) < 12 }
