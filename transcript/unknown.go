package transcript

import "slices"

// An UnknownItem is one thing in an entry that this package does not know.
type UnknownItem struct {
	// Kind is one of UnknownKinds.
	Kind string `json:"kind"`
	// Name is the format's own name of the thing, or NotIdentifier. Only the name of a
	// type, a key or the like gets here, never a value of a field that holds text.
	Name string `json:"name"`
}

// NotIdentifier replaces a name that is missing or does not look like an identifier:
// 1 to 64 letters, digits and _ . : / - of ASCII. Anything else could be text of a
// conversation, put there by a line that is broken or forged.
const NotIdentifier = "(not an identifier)"

const (
	// maxUnknown is how many names of one kind an entry lists.
	maxUnknown = 8
	// maxIdentifier is how long an identifier is, in bytes.
	maxIdentifier = 64
)

// unknown notes that the entry holds something that this package does not know.
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

// unknownType notes a type that is not in Types.
func (p *Parser) unknownType(e *Entry) {
	kind := unknownMetadataType
	if p.raw.countable() {
		kind = unknownType
	}
	e.unknown(kind, p.name(p.raw.typ))
}

// unknownSubtype notes a subtype of a system entry that is not known. One that may
// carry something to be counted is as good as an unknown type.
func (p *Parser) unknownSubtype(e *Entry, subtype string) {
	if p.raw.countable() {
		e.unknown(unknownType, "system/"+subtype)
		return
	}
	e.unknown(unknownSubtype, subtype)
}

// countable reports whether an entry may hold something that is counted, whatever its
// type: a message, usage, or the call or the result of a tool.
func (r *rawEntry) countable() bool {
	return r.message.there || r.usage.isObject() || isToolBlock(r.typ) || hasToolBlock(r.content)
}

func hasToolBlock(content rawValue) bool {
	for element := range content.elements() {
		var f [1]rawValue
		if element.pick([]string{"type"}, f[:]); isToolBlock(f[0]) {
			return true
		}
	}
	return false
}

// isToolBlock reports whether a type is that of a call or a result of a tool, be it
// known or not.
func isToolBlock(typ rawValue) bool { return typ.endsWith("tool_use") || typ.endsWith("tool_result") }

// unknownBlocks notes the blocks that are calls or results of tools by their type, but
// are not read as such.
func (p *Parser) unknownBlocks(e *Entry, isResult func(typ rawValue) bool) {
	for i := range p.blocks {
		if typ := p.blocks[i].typ; isToolBlock(typ) && !isCall(typ) && !isResult(typ) {
			e.unknown(unknownBlock, p.name(typ))
		}
	}
}

// usageKeys are the keys of usage that are read, or that hold no number to be counted.
var usageKeys = []string{
	"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
	"cache_creation", "server_tool_use", "output_tokens_details", "iterations",
	"service_tier", "inference_geo", "speed", "fallback_credit",
}

// nestedUsageKeys are those of the objects in usage, in the order of usage.odd.
var nestedUsageKeys = [...]struct {
	object string
	keys   []string
}{
	{"cache_creation", []string{"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"}},
	{"server_tool_use", []string{"web_search_requests", "web_fetch_requests"}},
	{"output_tokens_details", []string{"thinking_tokens"}},
}

// unknownUsage notes the keys of a usage object that are not known and hold numbers.
func (p *Parser) unknownUsage(e *Entry, u *rawUsage) {
	if !u.unknown && u.odd == [3]bool{} {
		return // as nearly always: what follows takes memory
	}
	noteNumbers(e, u.whole, "", usageKeys)
	for _, nested := range &nestedUsageKeys {
		var f [1]rawValue
		u.whole.pick([]string{nested.object}, f[:])
		noteNumbers(e, f[0], nested.object+".", nested.keys)
	}
}

// noteNumbers notes the first maxUnknown members of an object whose keys are not known,
// as far as there is a number in them.
func noteNumbers(e *Entry, object rawValue, prefix string, known []string) {
	if !object.isObject() {
		return
	}
	var names []string
	var numbers []bool
	var w cursor
	w.begin(object)
	for more := w.enter('{'); more; more = w.more('}') {
		name := string(appendValid(nil, w.key()))
		value := w.value()
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

// unknownIterations notes the types of usage.iterations that are not known. One without
// a type is a message.
func (p *Parser) unknownIterations(e *Entry, iterations rawValue) {
	for one := range iterations.elements() {
		var f [1]rawValue
		one.pick([]string{"type"}, f[:])
		if typ := f[0]; !typ.isNull() && !slices.ContainsFunc(iterationTypes, typ.is) {
			e.unknown(unknownIteration, p.name(typ))
		}
	}
}
