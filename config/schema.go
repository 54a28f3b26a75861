package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/internal/redact"
	"github.com/ccwatchd/ccwatchd/internal/suggest"
)

// A schema compares YAML nodes with the types that they are decoded into. The YAML
// library's own check (KnownFields) does not state the key of a wrong value, nor always
// its line, and quotes the value, which may be a secret.
type schema struct {
	found   problems
	lines   map[string]int // by key
	merging []*yaml.Node   // the anchors that contain the current mapping
}

// check compares the value of a key, and its parts, with the type of its default.
func (s *schema) check(n *yaml.Node, v reflect.Value, key string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.ShortTag() == "!!null" {
		return // the key keeps its default
	}
	for v.Kind() == reflect.Pointer {
		v = reflect.Zero(v.Type().Elem())
	}
	t := v.Type()
	keys, others := keysOf(v)
	_, ours := reflect.TypeAssert[yaml.Unmarshaler](reflect.New(t))
	isList, isMapping := t.Kind() == reflect.Slice, len(keys) > 0 || others.IsValid()
	isLeaf := !isList && !isMapping || ours && n.Kind == yaml.ScalarNode
	before := len(s.found)
	switch {
	case isLeaf:
	case isList:
		s.checkList(n, t, key)
	case n.Kind != yaml.MappingNode:
		s.found.add(n.Line, key, "expected a mapping%s", hint(n, t, key))
	default:
		s.checkMapping(n, v, key)
	}
	if len(s.found) > before {
		return
	}
	// The value as a whole may be invalid, too, such as keys that exclude each other.
	err := n.Decode(reflect.New(t).Interface())
	switch wholeNumber := t.Kind() == reflect.Int; {
	case err != nil && isLeaf && ours:
		s.found.add(n.Line, key, "%v", err) // the error quotes no value but regular expressions
	case isLeaf && (err != nil || wholeNumber && n.ShortTag() != "!!int"): // 1.5 would be 1
		s.found.add(n.Line, key, "expected %s%s", describe(t), hint(n, t, key))
	case err != nil: // err may quote a secret
		s.found.add(n.Line, key, "keys conflict, or one is missing")
	}
}

func (s *schema) checkList(n *yaml.Node, t reflect.Type, key string) {
	if n.Kind != yaml.SequenceNode {
		s.found.add(n.Line, key, "expected a list%s", hint(n, t, key))
		return
	}
	item := reflect.Zero(t.Elem())
	for i, node := range n.Content {
		if node.ShortTag() == "!!null" { // the decoder would drop the item
			s.found.add(node.Line, "", "empty list item")
		}
		part := key + "[" + strconv.Itoa(i) + "]"
		s.lines[part] = node.Line
		s.check(node, item, part)
	}
}

func (s *schema) checkMapping(n *yaml.Node, v reflect.Value, key string) {
	keys, others := keysOf(v)
	lines := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind == yaml.AliasNode {
			name = name.Alias
		}
		known, part := keys[name.Value], name.Value
		if !known.IsValid() {
			known, part = others, pathOf(name.Value)
		}
		switch {
		case name.Kind != yaml.ScalarNode:
			s.found.add(name.Line, key, "expected a string for each key")
		case name.ShortTag() == "!!merge":
			s.checkMerged(value, v, key)
		case lines[name.Value] > 0:
			s.found.add(name.Line, "", "key %s already defined at line %d", nameOf(name, value), lines[name.Value])
		case !known.IsValid():
			s.addUnknown(name, value, key, slices.Sorted(maps.Keys(keys)))
		default:
			part = strings.TrimPrefix(key+"."+part, ".")
			s.lines[part] = name.Line
			s.check(value, known, part)
		}
		lines[name.Value] = name.Line
	}
}

// addUnknown adds the error for an unknown key of a mapping, given the known keys.
func (s *schema) addUnknown(name, value *yaml.Node, key string, known []string) {
	section := strings.TrimSuffix(" in "+key, " in ")
	if nearest := suggest.Nearest(name.Value, known); nearest != "" {
		section += fmt.Sprintf(" (did you mean %q?)", nearest)
	}
	s.found.add(name.Line, "", "unknown key %s%s, expected one of %s", nameOf(name, value), section, strings.Join(known, ", "))
}

// checkMerged checks the value of a merge key (<<).
func (s *schema) checkMerged(n *yaml.Node, v reflect.Value, key string) {
	switch {
	case n.Kind == yaml.AliasNode && slices.Contains(s.merging, n.Alias):
		s.found.add(n.Line, "", "an anchor contains itself")
	case n.Kind == yaml.AliasNode:
		s.merging = append(s.merging, n.Alias)
		s.checkMerged(n.Alias, v, key)
		s.merging = s.merging[:len(s.merging)-1]
	case n.Kind == yaml.SequenceNode:
		for _, node := range n.Content {
			s.checkMerged(node, v, key)
		}
	case n.Kind == yaml.MappingNode:
		s.checkMapping(n, v, key)
	default:
		s.found.add(n.Line, key, "expected a mapping to merge")
	}
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

// keysOf returns the keys of a mapping that is decoded into v, with their defaults.
// others is the default of all other keys, invalid if they are not allowed. A map with
// defaults has the keys of the defaults.
func keysOf(v reflect.Value) (keys map[string]reflect.Value, others reflect.Value) {
	keys = make(map[string]reflect.Value)
	switch {
	case v.Kind() == reflect.Map && v.Len() == 0:
		return nil, reflect.Zero(v.Type().Elem())
	case v.Kind() == reflect.Map:
		for key, value := range v.Seq2() {
			keys[key.String()] = value
		}
	case v.Kind() == reflect.Struct:
		for f, value := range v.Fields() {
			key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if options == "inline" {
				more, rest := keysOf(value)
				maps.Copy(keys, more)
				if rest.IsValid() {
					others = rest
				}
			} else if key != "" && key != "-" {
				keys[key] = value
			}
		}
	}
	return keys, others
}
