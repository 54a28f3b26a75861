package config

import (
	"errors"
	"fmt"
	"strings"
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

// add adds a problem in a line of the file, of a key, or both.
func (p *problems) add(line int, key, format string, args ...any) {
	*p = append(*p, problem{line: line, key: key, text: fmt.Sprintf(format, args...)})
}

// addKey adds a problem with the value of a key.
func (p *problems) addKey(key, format string, args ...any) { p.add(0, key, format, args...) }

// join returns the problems as one error, or nil. Each begins with the name of the file
// and its line, unless the name is empty.
func (p problems) join(file string) error { return errors.Join(p.errors(file)...) }

// errors returns the problems as errors.
func (p problems) errors(file string) []error {
	errs := make([]error, len(p))
	for i, found := range p {
		switch {
		case file == "":
			errs[i] = found
		case found.line == 0:
			errs[i] = fmt.Errorf("%s: %w", file, found)
		default:
			errs[i] = fmt.Errorf("%s:%d: %w", file, found.line, found)
		}
	}
	return errs
}

// locate sets the lines of problems that have only a key, from the lines of all keys in
// the file. A missing key gets the line of its mapping or list.
func (p problems) locate(lines map[string]int) {
	for i := range p {
		for key := p[i].key; p[i].line == 0 && key != ""; {
			p[i].line = lines[key]
			key = key[:max(0, strings.LastIndexAny(key, ".["))]
		}
	}
}
