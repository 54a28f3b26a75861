package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A problem is one thing that is wrong with a configuration.
type problem struct {
	line int    // in the file, 0 if it is not known
	key  string // where, like sources[0].path; "" if the text says it
	text string
}

// Error tells the problem without its line.
func (p problem) Error() string {
	if p.key == "" {
		return p.text
	}
	return p.key + ": " + p.text
}

type problems []problem

// at adds a problem with a line of the file.
func (p *problems) at(line int, format string, args ...any) {
	*p = append(*p, problem{line: line, text: fmt.Sprintf(format, args...)})
}

// with adds a problem with the value of a key.
func (p *problems) with(key, format string, args ...any) {
	*p = append(*p, problem{key: key, text: fmt.Sprintf(format, args...)})
}

// join returns the problems as one error, nil if there are none.
func (p problems) join() error {
	errs := make([]error, len(p))
	for i := range p {
		errs[i] = p[i]
	}
	return errors.Join(errs...)
}

// in returns the problems as one error about the named file.
func (p problems) in(file string) error {
	errs := make([]error, len(p))
	for i, one := range p {
		place := file
		if one.line > 0 {
			place += ":" + strconv.Itoa(one.line)
		}
		errs[i] = fmt.Errorf("%s: %w", place, one)
	}
	return errors.Join(errs...)
}

// locate finds the lines of the keys in the file.
func (p problems) locate(tree *yaml.Node) {
	if tree == nil || len(tree.Content) == 0 {
		return
	}
	for i := range p {
		if p[i].line == 0 {
			p[i].line = lineOf(tree.Content[0], p[i].key)
		}
	}
}

// lineOf returns the line of the deepest part of a key that is in the file; 0
// if there is none.
func lineOf(n *yaml.Node, key string) int {
	line := 0
	for part := range strings.FieldsFuncSeq(key, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		if n = child(n, part, &line); n == nil {
			break
		}
	}
	return line
}

// child returns the value of a mapping's key or of a list's item, and sets
// line to where that begins.
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
