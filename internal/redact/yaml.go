package redact

import (
	"cmp"
	"regexp"
	"strings"
)

// yamlLine separates the line number from the text of an error of the YAML decoder.
var yamlLine = regexp.MustCompile(`^\s*(line \d+: )(.*)$`)

// describeYAML keeps the line numbers and kinds of the errors of the YAML decoder.
func describeYAML(text string) string {
	var all []string
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "unmarshal errors:\n"), "\n") {
		where := ""
		if m := yamlLine.FindStringSubmatch(line); m != nil {
			where, line = m[1], m[2]
		}
		all = append(all, where+yamlKind(line))
	}
	return strings.Join(all, "\n")
}

// yamlKinds describe the frequent errors of the YAML decoder, by prefix. An empty kind
// keeps the prefix.
var yamlKinds = []struct{ prefix, kind string }{
	{"cannot unmarshal ", "a value has the wrong type"},
	{"cannot decode ", "a value has the wrong type"},
	{"field ", "unknown key"},
	{"mapping key ", "a key is defined twice"},
	{"anchor '", "an anchor contains itself"},
	{"unknown anchor '", "an alias refers to an unknown anchor: put a text that begins with * in quotes"},
	{"did not find expected ',' or ']'", ""},
	{"did not find expected ',' or '}'", ""},
	{"did not find expected key", ""},
	{"did not find expected node content", ""},
	{"found a tab character that violates indentation", ""},
	{"found character that cannot start any token", ""},
	{"found unexpected end of stream", ""},
	{"mapping values are not allowed in this context", ""},
}

func yamlKind(text string) string {
	for _, k := range yamlKinds {
		if strings.HasPrefix(text, k.prefix) {
			return cmp.Or(k.kind, k.prefix)
		}
	}
	return "invalid YAML"
}
