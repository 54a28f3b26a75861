package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load returns the defaults with what the YAML file at path says instead. An
// empty path is no file. The error tells everything that is wrong with the
// file, each on a line that begins with the file's name and, where it can be
// told, the number of the line.
//
// env is os.Getenv, or stands for it.
func Load(path string, env func(string) string) (*Config, error) {
	if path == "" {
		return Default(env)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	c, found := parse(data, directory(path), env)
	if len(found) > 0 {
		return nil, found.in(path)
	}
	return c, nil
}

// parse makes a configuration of the contents of a file in the directory dir.
func parse(data []byte, dir string, env func(string) string) (*Config, problems) {
	c := Settings()
	tree, found := decode(data, c)
	if len(found) > 0 {
		return nil, found
	}
	if len(c.Sources) > 0 {
		found = expandSources(c.Sources, env)
	} else {
		var err error
		if c.Sources, err = defaultSources(env); err != nil {
			found.with("sources", "%v", err)
		}
	}
	for i, name := range c.Labels.Commands {
		c.Labels.Commands[i] = strings.TrimPrefix(name, "/")
	}
	completeRemoteWrites(c.RemoteWrite, dir)
	// Of a path that could not be expanded it is told already what is wrong.
	found = append(found, slices.DeleteFunc(c.problems(), func(p problem) bool {
		return slices.ContainsFunc(found, func(f problem) bool { return f.key == p.key })
	})...)
	found.locate(tree)
	return c, found
}

// decode puts what the file says into c. It returns the nodes of the file too,
// which know their lines.
func decode(data []byte, c *Config) (*yaml.Node, problems) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	err := d.Decode(c)
	if errors.Is(err, io.EOF) { // nothing, or comments alone
		return nil, nil
	}
	found := translate(err)
	var tree, second yaml.Node
	if yaml.Unmarshal(data, &tree) != nil {
		return nil, found // it is not YAML; whatever follows may be anything
	}
	switch err := d.Decode(&second); {
	case err == nil:
		found.at(second.Line, "a second document begins; only one is allowed")
	case !errors.Is(err, io.EOF):
		found = append(found, translate(err)...)
	}
	return &tree, append(found, emptyItems(&tree)...)
}

// emptyItems finds items of lists that are left empty, which the decoder would
// leave out without a word.
func emptyItems(n *yaml.Node) problems {
	var found problems
	for _, child := range n.Content {
		if n.Kind == yaml.SequenceNode && child.ShortTag() == "!!null" {
			found.at(child.Line, "an empty item in a list")
		}
		found = append(found, emptyItems(child)...)
	}
	return found
}

// sections are the keys under which the types of this package stand in the
// file, by the names of the types.
var sections = map[string]string{
	"Config": "", "Source": " in sources", "Labels": " in labels", "Projects": " in labels.project",
	"Rule": " in labels.project.map", "MaxValues": " in labels.max_values", "Buckets": " in buckets",
	"Intervals": " in intervals", "Limits": " in limits", "Retention": " in retention",
	"remoteWrite": " in remote_write",
}

// httpSections are the types of the HTTP client's configuration, most of which
// have the same name while they are read.
var httpSections = map[string]string{
	"config.plain": " in a section of remote_write", "config.Authorization": " in authorization", "config.Headers": " in http_headers",
}

// kinds are the types that the decoder reads by itself, and the YAML tags of
// what may stand in the place of them, in plain words.
var kinds = map[string]string{
	"float64": "a number", "string": "a text", "bool": "true or false",
	"config.Naming": "a text", "config.ProtobufMessage": "a text",
	"[]float64": "a list of numbers", "[]string": "a list of texts", "map[string]string": "keys and texts",
	"[]config.Source": "a list of sources", "[]config.Rule": "a list of rules", "[]config.RemoteWrite": "a list of endpoints",
	"!!map": "keys and values", "!!seq": "a list",
}

// translate makes problems of the decoder's error, whose texts speak of Go.
func translate(err error) problems {
	if err == nil {
		return nil
	}
	texts := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		texts = wrong.Errors
	}
	var found problems
	for _, text := range texts {
		line := 0
		if before, after, ok := strings.Cut(text, ": "); ok {
			if _, err := fmt.Sscanf(before, "line %d", &line); err == nil {
				text = after
			}
		}
		found.at(line, "%s", plain(text))
	}
	return found
}

// plain says one error of the decoder in the words of this program. Those that
// it does not know stay as they are.
func plain(text string) string {
	if rest, ok := strings.CutPrefix(text, "field "); ok {
		const between = " not found in type config."
		if i := strings.LastIndex(rest, between); i >= 0 {
			where := rest[i+len(between):]
			return fmt.Sprintf("unknown key %q%s", rest[:i], cmp.Or(sections[where], httpSections["config."+where]))
		}
	}
	if rest, ok := strings.CutPrefix(text, "cannot unmarshal "); ok {
		const between = " into "
		if i := strings.LastIndex(rest, between); i >= 0 {
			kind := rest[i+len(between):]
			if _, ok := httpSections[kind]; ok {
				return "cannot use what is there, which is not repeated since it may be secret"
			}
			return "cannot use " + plainValue(rest[:i]) + " as " + plainType(kind)
		}
	}
	return text
}

// plainValue says what the decoder calls "!!tag `value`".
func plainValue(s string) string {
	tag, value, ok := strings.Cut(s, " `")
	if !ok {
		return plainType(tag)
	}
	return fmt.Sprintf("%q", strings.TrimSuffix(value, "`"))
}

func plainType(s string) string {
	if words, ok := kinds[s]; ok {
		return words
	}
	return kinds["!!map"] // every other type is a section
}

// reject is the error of a value that reads itself, in the form in which the
// decoder collects its own.
func reject(n *yaml.Node, format string, args ...any) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, fmt.Sprintf(format, args...))}}
}

// describe says what a node is.
func describe(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return plainType(n.ShortTag())
	}
	return fmt.Sprintf("%q", n.Value)
}
