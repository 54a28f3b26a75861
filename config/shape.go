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

// A shape compares the nodes of a file that cannot be decoded with the types that
// they are decoded into. Its problems have the key and what is expected there, but
// not the value in the file, which may be a secret.
type shape struct {
	found   problems
	aliases []*yaml.Node // that are being merged
}

// shapeProblems returns what is wrong with the document n as a Config.
func shapeProblems(n *yaml.Node) problems {
	var s shape
	if len(n.Content) > 0 {
		s.check(n.Content[0], reflect.TypeFor[Config](), "")
	}
	return s.found
}

// expect adds a problem with the value of a key.
func (s *shape) expect(n *yaml.Node, key, what string) {
	s.found = append(s.found, problem{line: n.Line, key: key, text: "expected " + what})
}

// check looks at the node of a key. It looks at a value as a whole, for example
// whether parts of it exclude each other, only if nothing is wrong with the parts.
func (s *shape) check(n *yaml.Node, t reflect.Type, key string) {
	if n.ShortTag() == "!!null" {
		return // as if the key were left out
	}
	if n.Kind == yaml.AliasNode {
		s.check(n.Alias, t, key) // no type has itself in it, so this ends
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	before := len(s.found)
	switch fields, items := keysOf(t); {
	case isLeaf(t):
	case t.Kind() == reflect.Slice:
		s.checkList(n, t.Elem(), key)
	case n.Kind != yaml.MappingNode:
		s.expect(n, key, "keys and values")
	default:
		s.checkMapping(n, fields, items, key)
	}
	if len(s.found) == before {
		s.checkWhole(n, t, key)
	}
}

func (s *shape) checkList(n *yaml.Node, item reflect.Type, key string) {
	if n.Kind != yaml.SequenceNode {
		s.expect(n, key, "a list")
		return
	}
	for i, one := range n.Content {
		s.check(one, item, key+"["+strconv.Itoa(i)+"]")
	}
}

// checkMapping looks at the values of the keys that are known, and at all others if
// those have a type too.
func (s *shape) checkMapping(n *yaml.Node, fields map[string]reflect.Type, items reflect.Type, key string) {
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		t, part := fields[name.Value], name.Value
		if t == nil {
			t, part = items, pathOf(name.Value)
		}
		switch {
		case name.Kind != yaml.ScalarNode:
			s.expect(name, key, "keys and values")
		case name.ShortTag() == "!!merge":
			s.checkMerged(value, fields, items, key)
		case lines[name.Value] > 0:
			s.found.at(name.Line, "mapping key %s already defined at line %d", nameOf(name, value), lines[name.Value])
		case t == nil:
			s.found.at(name.Line, "unknown key %s%s, expected one of %s", nameOf(name, value), inSection(key), strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		default:
			s.check(value, t, strings.TrimPrefix(key+"."+part, "."))
		}
		lines[name.Value] = name.Line
	}
}

// checkMerged looks at what << merges into a mapping.
func (s *shape) checkMerged(n *yaml.Node, fields map[string]reflect.Type, items reflect.Type, key string) {
	switch n.Kind {
	case yaml.AliasNode:
		if slices.Contains(s.aliases, n.Alias) {
			s.found.at(n.Line, "an anchor contains itself")
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
		s.expect(n, key, "keys and values to merge")
	}
}

// checkWhole decodes a node for itself.
func (s *shape) checkWhole(n *yaml.Node, t reflect.Type, key string) {
	err := n.Decode(reflect.New(t).Interface())
	if err == nil {
		return
	}
	text := redact.Error(err).Error()
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		text = "expected " + wordsFor(t)
		if isOwn(t) { // so that the error is one of reject
			_, text, _ = strings.Cut(wrong.Errors[0], ": ")
		}
	}
	if t == reflect.TypeFor[config.URL]() || t == reflect.TypeFor[config.TLSVersion]() {
		text = "expected " + wordsFor(t)
	}
	s.found = append(s.found, problem{line: n.Line, key: key, text: text})
}

// nameOf is what may be shown of the name of a key. Without a value it may be one
// itself, as in {secret}.
func nameOf(name, value *yaml.Node) string {
	if value.Kind == yaml.ScalarNode && value.Value == "" {
		return redact.Name("")
	}
	return redact.Name(name.Value)
}

// pathOf is the part of a key for one name.
func pathOf(name string) string { return strings.Trim(redact.Name(name), `"`) }

func inSection(key string) string {
	if key == "" {
		return ""
	}
	return " in " + key
}

// isLeaf reports whether a type has no parts with keys of their own.
func isLeaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return t == reflect.TypeFor[config.URL]() || t == reflect.TypeFor[Pattern]()
	case reflect.Map, reflect.Slice:
		return false
	}
	return true
}

// isOwn reports whether a type of this package decodes itself.
func isOwn(t reflect.Type) bool {
	_, ok := reflect.TypeAssert[yaml.Unmarshaler](reflect.New(t))
	return ok && t.PkgPath() == reflect.TypeFor[Config]().PkgPath()
}

// keysOf returns the types of the keys of a mapping that is decoded into t, and, if it
// may have any other, the type of those.
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

// wordsFor describes the expected value of a type that the decoder reads by
// itself, or by code of others.
func wordsFor(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[config.URL]():
		return "a URL, such as http://proxy.example.com:3128"
	case t == reflect.TypeFor[config.TLSVersion]():
		return "one of TLS10, TLS11, TLS12 and TLS13"
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "another type of value"
}
