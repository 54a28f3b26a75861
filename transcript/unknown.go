package transcript

import "slices"

// An UnknownItem is a part of an entry that this package does not know.
type UnknownItem struct {
	// Kind is one of UnknownKinds.
	Kind string `json:"kind"`
	// Name is the name of the type, key or similar in the format, or NotIdentifier. It is
	// never the value of a field that holds text.
	Name string `json:"name"`
}

// NotIdentifier replaces a name that is missing or not an identifier: 1 to 64 ASCII
// letters, digits and _ . : / - characters. Anything else could be conversation text,
// put there by a broken or forged line.
const NotIdentifier = "(not an identifier)"

const (
	maxUnknown    = 8  // names of one kind per entry
	maxIdentifier = 64 // bytes
)

// unknown records a part of the entry that this package does not know.
func (e *Entry) unknown(kind, name string) {
	if !isIdentifier(name) {
		name = NotIdentifier
	}
	n := 0
	for _, item := range e.Unknown {
		if item == (UnknownItem{kind, name}) {
			return
		}
		if item.Kind == kind {
			n++
		}
	}
	if n < maxUnknown {
		e.Unknown = append(e.Unknown, UnknownItem{kind, name})
	}
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '.', c == ':', c == '/', c == '-':
		default:
			return false
		}
	}
	return 0 < len(name) && len(name) <= maxIdentifier
}

// unknownType records an unknown type or subtype under a kind, or, if the entry is
// countable, as an unknown type with another name.
func (p *Parser) unknownType(e *Entry, kind, name, countableName string) {
	if p.raw.countable() {
		kind, name = unknownType, countableName
	}
	e.unknown(kind, name)
}

// countable reports whether an entry of any type may contain countable data: a message,
// usage, or a tool call or result.
func (r *rawEntry) countable() bool {
	return r.message.present || r.usage.isObject() || isToolBlock(r.typ) || hasToolBlock(r.content)
}

func hasToolBlock(content rawValue) bool {
	for element := range content.elements() {
		if isToolBlock(element.member("type")) {
			return true
		}
	}
	return false
}

// isToolBlock reports whether a type, known or not, looks like a tool call or result.
func isToolBlock(typ rawValue) bool { return typ.endsWith("tool_use") || typ.endsWith("tool_result") }

// unknownBlocks records the blocks whose type looks like a tool call or result, but is
// not known.
func (p *Parser) unknownBlocks(e *Entry, isResult func(typ rawValue) bool) {
	for i := range p.blocks {
		if typ := p.blocks[i].typ; isToolBlock(typ) && !isCall(typ) && !isResult(typ) {
			e.unknown(unknownBlock, p.name(typ))
		}
	}
}

// usageKeys are the known keys of usage.
var usageKeys = []string{
	"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
	"cache_creation", "server_tool_use", "output_tokens_details", "iterations",
	"service_tier", "inference_geo", "speed", "fallback_credit",
}

// nestedUsageKeys are the known keys of the objects in usage, in the order of
// rawUsage.unknownNested.
var nestedUsageKeys = [...]struct {
	object string
	keys   []string
}{
	{"cache_creation", []string{"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"}},
	{"server_tool_use", []string{"web_search_requests", "web_fetch_requests"}},
	{"output_tokens_details", []string{"thinking_tokens"}},
}

// unknownKeys records the unknown keys of a usage object whose values contain numbers.
func (u *rawUsage) unknownKeys(e *Entry) {
	if !u.unknown && u.unknownNested == [3]bool{} {
		return // the usual case; the rest allocates
	}
	e.unknownNumbers(u.whole, "", usageKeys)
	for _, nested := range &nestedUsageKeys {
		e.unknownNumbers(u.whole.member(nested.object), nested.object+".", nested.keys)
	}
}

// unknownNumbers records which of the first maxUnknown unknown members of an object
// contain numbers.
func (e *Entry) unknownNumbers(object rawValue, prefix string, known []string) {
	var names []string
	var numbers []bool
	c := newCursor(object)
	for more := c.enter('{'); more; more = c.more('}') {
		name := string(appendValid(nil, c.key()))
		value := c.value()
		i := slices.Index(names, name)
		switch {
		case slices.Contains(known, name):
		case i >= 0:
			numbers[i] = value.hasNumber() // the last of equal keys wins
		case len(names) < maxUnknown:
			names, numbers = append(names, name), append(numbers, value.hasNumber())
		}
	}
	for i, name := range names {
		if numbers[i] {
			e.unknown(unknownUsageKey, prefix+name)
		}
	}
}
