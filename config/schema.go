package config

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/internal/redact"
)

// A schema compares YAML nodes with the types that they are decoded into. Unlike the
// errors of the YAML library, its problems contain the key and the expected type,
// and never the value, which may be a secret.
type schema struct {
	found   problems
	lines   map[string]int // by key
	aliases []*yaml.Node   // being merged
}

// checkSchema returns the lines of all keys of a document, and all mismatches between
// it and Config.
func checkSchema(n *yaml.Node) (map[string]int, problems) {
	s := schema{lines: make(map[string]int)}
	if len(n.Content) > 0 {
		s.check(n.Content[0], reflect.TypeFor[Config](), "")
	}
	return s.lines, s.found
}

// expect adds a problem with the type of a value.
func (s *schema) expect(n *yaml.Node, key, what string) {
	s.found = append(s.found, problem{line: n.Line, key: key, text: "expected " + what})
}

// check compares the value of a key with its type. It decodes the value as a whole,
// which finds for example keys that exclude each other, only if its parts are valid.
func (s *schema) check(n *yaml.Node, t reflect.Type, key string) {
	if n.ShortTag() == "!!null" {
		return // the key keeps its default
	}
	if n.Kind == yaml.AliasNode {
		s.check(n.Alias, t, key) // ends, since no type contains itself
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	before := len(s.found)
	switch fields, items := keysOf(t); {
	case isLeaf(t), n.Kind == yaml.ScalarNode && allowsScalar(t):
	case t.Kind() == reflect.Slice:
		s.checkList(n, t.Elem(), key)
	case n.Kind != yaml.MappingNode:
		s.expect(n, key, "a mapping")
	default:
		s.checkMapping(n, fields, items, key)
	}
	if len(s.found) == before {
		s.checkWhole(n, t, key)
	}
}

func (s *schema) checkList(n *yaml.Node, item reflect.Type, key string) {
	if n.Kind != yaml.SequenceNode {
		s.expect(n, key, "a list")
		return
	}
	for i, one := range n.Content {
		if one.ShortTag() == "!!null" { // which the decoder would drop
			s.found.addLine(one.Line, "empty list item")
		}
		part := key + "[" + strconv.Itoa(i) + "]"
		s.lines[part] = one.Line
		s.check(one, item, part)
	}
}

// checkMapping compares the values of a mapping with the types of their keys. items
// is the type of other keys, nil if they are not allowed.
func (s *schema) checkMapping(n *yaml.Node, fields map[string]reflect.Type, items reflect.Type, key string) {
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind == yaml.AliasNode {
			name = name.Alias
		}
		t, part := fields[name.Value], name.Value
		if t == nil {
			t, part = items, pathOf(name.Value)
		}
		switch {
		case name.Kind != yaml.ScalarNode:
			s.expect(name, key, "a string for each key")
		case name.ShortTag() == "!!merge":
			s.checkMerged(value, fields, items, key)
		case lines[name.Value] > 0:
			s.found.addLine(name.Line, "key %s already defined at line %d", nameOf(name, value), lines[name.Value])
		case t == nil:
			known := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
			s.found.addLine(name.Line, "unknown key %s%s, expected one of %s", nameOf(name, value), inSection(key), known)
		default:
			part = strings.TrimPrefix(key+"."+part, ".")
			s.lines[part] = name.Line
			s.check(value, t, part)
		}
		lines[name.Value] = name.Line
	}
}

// checkMerged checks the value of a merge key (<<).
func (s *schema) checkMerged(n *yaml.Node, fields map[string]reflect.Type, items reflect.Type, key string) {
	switch n.Kind {
	case yaml.AliasNode:
		if slices.Contains(s.aliases, n.Alias) {
			s.found.addLine(n.Line, "an anchor contains itself")
			return
		}
		s.aliases = append(s.aliases, n.Alias)
		s.checkMerged(n.Alias, fields, items, key)
		s.aliases = s.aliases[:len(s.aliases)-1]
	case yaml.SequenceNode:
		for _, one := range n.Content {
			s.checkMerged(one, fields, items, key)
		}
	case yaml.MappingNode:
		s.checkMapping(n, fields, items, key)
	default:
		s.expect(n, key, "a mapping to merge")
	}
}

// checkWhole decodes a value on its own.
func (s *schema) checkWhole(n *yaml.Node, t reflect.Type, key string) {
	err := n.Decode(reflect.New(t).Interface())
	if err == nil {
		return
	}
	text := redact.Error(err).Error()
	_, wrongType := errors.AsType[*yaml.TypeError](err)
	switch {
	case decodesItself(t):
		text = err.Error() // which repeats no value but regular expressions
	case wrongType, t == reflect.TypeFor[Duration](),
		t == reflect.TypeFor[config.URL](), t == reflect.TypeFor[config.TLSVersion]():
		text = "expected " + describe(t)
	}
	s.found = append(s.found, problem{line: n.Line, key: key, text: text})
}

// nameOf returns the name of a key for an error. A key without a value is not shown:
// it may itself be a misplaced value, as in {secret}.
func nameOf(name, value *yaml.Node) string {
	if value.Kind == yaml.ScalarNode && value.Value == "" {
		return redact.Name("")
	}
	return redact.Name(name.Value)
}

// pathOf returns a name as part of a longer key.
func pathOf(name string) string { return strings.Trim(redact.Name(name), `"`) }

func inSection(key string) string {
	if key == "" {
		return ""
	}
	return " in " + key
}

// isLeaf reports whether values of a type have no keys or items.
func isLeaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return t == reflect.TypeFor[config.URL]() || t == reflect.TypeFor[Pattern]() || t == reflect.TypeFor[Date]()
	case reflect.Map, reflect.Slice:
		return false
	}
	return true
}

// allowsScalar reports whether a mapping or list of a type may also be a single word.
func allowsScalar(t reflect.Type) bool {
	return canBeOff(t) || t == reflect.TypeFor[ModelIDs]()
}

// canBeOff reports whether a mapping of a type may also be the word off, see decodeOff.
func canBeOff(t reflect.Type) bool {
	return t == reflect.TypeFor[Pricing]() || t == reflect.TypeFor[History]()
}

// decodesItself reports whether a type is one of this package with its own decoder.
func decodesItself(t reflect.Type) bool {
	_, ok := reflect.TypeAssert[yaml.Unmarshaler](reflect.New(t))
	return ok && t.PkgPath() == reflect.TypeFor[Config]().PkgPath()
}

// keysOf returns the types of the keys of a mapping that is decoded into t, and the
// type of all other keys, nil if they are not allowed.
func keysOf(t reflect.Type) (fields map[string]reflect.Type, items reflect.Type) {
	switch {
	case t.Kind() == reflect.Map:
		return nil, t.Elem()
	case t.Kind() != reflect.Struct || isLeaf(t):
		return nil, nil
	}
	fields = make(map[string]reflect.Type)
	for f := range t.Fields() {
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			more, rest := keysOf(f.Type)
			maps.Copy(fields, more)
			if rest != nil {
				items = rest
			}
		case key != "" && key != "-":
			fields[key] = f.Type
		}
	}
	return fields, items
}

// describe returns the expected value of a type that is decoded by a library.
func describe(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Duration]():
		return "a duration, such as 30s, 10m or 60d"
	case t == reflect.TypeFor[config.URL]():
		return "a URL, such as http://proxy.example.com:3128"
	case t == reflect.TypeFor[config.TLSVersion]():
		return "one of TLS10, TLS11, TLS12 and TLS13"
	case canBeOff(t):
		return "off or a mapping"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "another type of value"
}
