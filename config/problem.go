package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A problem is one mistake in a configuration.
type problem struct {
	line int    // in the file, 0 if unknown
	key  string // such as sources[0].path; "" if the text names it
	text string
}

// Error returns the problem without its line.
func (p problem) Error() string {
	if p.key == "" {
		return p.text
	}
	return p.key + ": " + p.text
}

type problems []problem

// addLine adds a problem in a line of the file.
func (p *problems) addLine(line int, format string, args ...any) {
	*p = append(*p, problem{line: line, text: fmt.Sprintf(format, args...)})
}

// addKey adds a problem with the value of a key.
func (p *problems) addKey(key, format string, args ...any) {
	*p = append(*p, problem{key: key, text: fmt.Sprintf(format, args...)})
}

// join returns the problems as one error, nil if there are none. Each begins with
// the name of the file and its line, unless the name is empty.
func (p problems) join(file string) error {
	errs := make([]error, len(p))
	for i, one := range p {
		switch {
		case file == "":
			errs[i] = one
		case one.line == 0:
			errs[i] = fmt.Errorf("%s: %w", file, one)
		default:
			errs[i] = fmt.Errorf("%s:%d: %w", file, one.line, one)
		}
	}
	return errors.Join(errs...)
}

// locate sets the lines of problems that have only a key.
func (p problems) locate(document *yaml.Node) {
	if document == nil || len(document.Content) == 0 {
		return
	}
	for i := range p {
		if p[i].line == 0 {
			p[i].line = lineOf(document.Content[0], p[i].key)
		}
	}
}

// lineOf returns the line of the deepest part of a key that exists in the file, 0 if
// none does.
func lineOf(n *yaml.Node, key string) int {
	line := 0
	for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		if n = child(n, part, &line); n == nil {
			break
		}
	}
	return line
}

// child returns the value of a key of a mapping, or an item of a list, and sets line
// to its beginning. It returns nil if there is none.
func child(n *yaml.Node, part string, line *int) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if i, err := strconv.Atoi(part); err == nil && n.Kind == yaml.SequenceNode && i < len(n.Content) {
		*line = n.Content[i].Line
		return n.Content[i]
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == part {
			*line = n.Content[i].Line
			return n.Content[i+1]
		}
	}
	return nil
}
