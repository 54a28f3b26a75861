package config

import (
	"reflect"
	"strings"

	"github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"
)

// hint returns how to write the value of a key, if its type is wrong in a frequent way,
// or "". It repeats no value, which may be a secret.
func hint(n *yaml.Node, t reflect.Type, key string) string {
	isText := t.Kind() == reflect.String
	switch {
	case t == reflect.TypeFor[[]Source]():
		return ": write each directory as - path: DIRECTORY"
	case t == reflect.TypeFor[Source]():
		return ": write path: before a directory"
	case isText && n.Kind == yaml.SequenceNode && strings.HasSuffix(key, "].path"):
		return ": write each directory as - path: DIRECTORY"
	case isText && n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0:
		return ": put a text that begins with { in quotes, such as '{1}'"
	}
	return ""
}

// describe states the expected value of a type that a library decodes.
func describe(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Duration]():
		return "a duration, such as 30s, 10m or 60d"
	case t == reflect.TypeFor[config.URL]():
		return "a URL, such as http://proxy.example.com:3128"
	case t == reflect.TypeFor[config.TLSVersion]():
		return "one of TLS10, TLS11, TLS12 and TLS13"
	}
	return map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	}[t.Kind()]
}
