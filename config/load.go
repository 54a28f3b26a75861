package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load returns the defaults, overridden by the YAML file at path. An empty path
// means no file. The error lists all problems of the file, one a line, each with the
// file name and the line number if that is known.
//
// env is os.Getenv or a replacement.
func Load(path string, env func(string) string) (*Config, error) {
	if path == "" {
		return Default(env)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve path of configuration: %w", err)
	}
	c, found := parse(data, filepath.Dir(absolute), env)
	if len(found) > 0 {
		return nil, found.join(path)
	}
	return c, nil
}

// parse returns the configuration in the contents of a file in the directory dir.
func parse(data []byte, dir string, env func(string) string) (*Config, problems) {
	c := Settings()
	lines, found := decode(data, c)
	if len(found) > 0 {
		return nil, found
	}
	if len(c.Sources) > 0 {
		found = expandSources(c.Sources, env)
	} else {
		var err error
		if c.Sources, err = defaultSources(runtime.GOOS, env); err != nil {
			found.addKey("sources", "%v", err)
		}
	}
	for i, name := range c.Labels.Commands {
		c.Labels.Commands[i] = strings.TrimPrefix(name, "/")
	}
	completeRemoteWrites(c.RemoteWrite, dir)
	// A path that cannot be expanded is reported once.
	found = append(found, slices.DeleteFunc(c.problems(), func(p problem) bool {
		return slices.ContainsFunc(found, func(f problem) bool { return f.key == p.key })
	})...)
	found.locate(lines)
	if len(found) == 0 {
		c.warnings = c.findWarnings(lines)
	}
	return c, found
}

// decode decodes a file into c. It returns the lines of all keys.
func decode(data []byte, c *Config) (map[string]int, problems) {
	var document, second yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&document)
	if errors.Is(err, io.EOF) { // empty, or only comments
		return nil, nil
	}
	s := schema{lines: make(map[string]int)}
	if err != nil {
		s.addSyntax(err, data)
		return nil, s.found
	}
	s.check(document.Content[0], reflect.ValueOf(*c), "")
	switch err := d.Decode(&second); {
	case err == nil:
		s.found.add(second.Line, "", "expected a single YAML document")
	case !errors.Is(err, io.EOF):
		s.addSyntax(err, data)
	}
	defaults := *c
	if len(s.found) == 0 && document.Decode(c) != nil {
		s.found.add(0, "", "invalid YAML") // check has decoded every value
	}
	if c.Buckets == nil { // a key without a value
		c.Buckets = defaults.Buckets
	}
	if c.Labels.MaxValues == nil {
		c.Labels.MaxValues = defaults.Labels.MaxValues
	}
	return s.lines, s.found
}

// unknownAnchor matches the only error of the YAML parser that has no line.
var unknownAnchor = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced$`)

// syntaxErrors are the frequent errors of the YAML parser; they quote no text of the
// file.
var syntaxErrors = []string{
	"did not find expected ',' or ']'", "did not find expected ',' or '}'",
	"did not find expected key", "did not find expected node content",
	"found character that cannot start any token", "found unexpected end of stream", "mapping values are not allowed in this context",
}

// escapeErrors are the errors of the YAML parser about a \ in double quotes.
var escapeErrors = []string{
	"found unknown escape character", "did not find expected hexdecimal number", "found invalid Unicode character escape code",
}

// addSyntax adds an error of the YAML parser. It replaces texts that are not in
// syntaxErrors, since they may quote a secret.
func (s *schema) addSyntax(err error, data []byte) {
	if m := unknownAnchor.FindStringSubmatch(err.Error()); m != nil {
		before, _, _ := bytes.Cut(data, []byte("*"+m[1]))
		line := bytes.Count(before, []byte("\n")) + 1
		s.found.add(line, "", "an alias refers to an unknown anchor: put a text that begins with * in quotes")
		return
	}
	line, text := 0, "invalid YAML"
	_, _ = fmt.Sscanf(err.Error(), "yaml: line %d:", &line) // line stays 0 if the error has no line
	if n := tabLine(err.Error(), data, line); n > 0 {
		s.found.add(n, "", "a tab in the indentation: use spaces")
		return
	}
	if slices.ContainsFunc(escapeErrors, func(known string) bool { return strings.Contains(err.Error(), known) }) {
		s.found.add(line, "", `\ in double quotes begins an escape: put a Windows path in single quotes`)
		return
	}
	if i := slices.IndexFunc(syntaxErrors, func(known string) bool {
		return strings.Contains(err.Error(), ": "+known)
	}); i >= 0 {
		text = syntaxErrors[i]
	}
	s.found.add(line, "", "%s", text)
}

// tab matches a line that is indented by a tab, also after the hyphen of a list item.
var tab = regexp.MustCompile(`^[ -]*\t`)

// tabLine returns the line of the tab that caused an error of the YAML parser, 0 for
// any other error. The parser states an earlier line, or none for the first.
func tabLine(text string, data []byte, line int) int {
	first := max(0, line-1)
	isTab, isStart := strings.Contains(text, "found a tab character"), strings.Contains(text, "cannot start any token")
	for i, content := range bytes.Split(data, []byte("\n")) {
		if i >= first && tab.Match(content) && (isTab || isStart && i == first) {
			return i + 1
		}
	}
	return 0
}
