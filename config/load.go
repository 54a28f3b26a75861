package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/internal/redact"
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
	var tree, second yaml.Node
	if broken := yaml.Unmarshal(data, &tree); broken != nil {
		found := undecodable(broken)
		if m := unknownAnchor.FindStringSubmatch(broken.Error()); m != nil {
			found[0].line = lineWith(data, "*"+m[1])
		}
		return nil, found
	}
	found := explain(err, &tree)
	switch err := d.Decode(&second); {
	case err == nil:
		found.at(second.Line, "a second document begins; only one is allowed")
	case !errors.Is(err, io.EOF):
		found = append(found, undecodable(err)...)
	}
	return &tree, append(found, emptyItems(&tree)...)
}

// unknownAnchor is the one error of the YAML parser that has no line.
var unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)

// lineWith returns the number of the first line that has a text in it.
func lineWith(data []byte, text string) int {
	before, _, _ := bytes.Cut(data, []byte(text))
	return bytes.Count(before, []byte("\n")) + 1
}

// explain makes problems of the decoder's error, which may quote anything in the file
// and knows no keys.
func explain(err error, tree *yaml.Node) problems {
	if err == nil {
		return nil
	}
	if found := shapeProblems(tree); len(found) > 0 {
		return found
	}
	return undecodable(err)
}

// undecodable makes problems of an error of which only the lines are known.
func undecodable(err error) problems {
	var found problems
	for text := range strings.SplitSeq(redact.Error(err).Error(), "\n") {
		line := 0
		if before, after, ok := strings.Cut(text, ": "); ok {
			if _, err := fmt.Sscanf(before, "line %d", &line); err == nil {
				text = after
			}
		}
		found.at(line, "%s", text)
	}
	return found
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

// reject is the error of a value that reads itself, in the form in which the
// decoder collects its own.
func reject(n *yaml.Node, format string, args ...any) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, fmt.Sprintf(format, args...))}}
}
