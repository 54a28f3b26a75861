package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Root is a directory to read and the labels to add to the series from it.
type Root struct {
	// Path is absolute. It may not exist, unless it matched a pattern.
	Path string
	// Base is the leading part of Path that the configuration names. Links in Base are
	// followed; links in the rest of the path must pass the check of package opendir.
	Base string
	// Labels have clean values, with placeholders replaced.
	Labels map[string]string
}

// matches returns the directories that a source currently matches, and the errors of
// dropped directories.
func (s Source) matches() (all []match, dropped []error, err error) {
	path := filepath.Clean(s.Path)
	if s.isLiteral() {
		resolved, info := stat(path)
		return []match{{Root: Root{Path: path, Base: path, Labels: s.labels(nil)}, real: resolved, info: info}}, nil, nil
	}
	stars, err := starPattern(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read pattern: %w", err)
	}
	names, err := filepath.Glob(escape(path))
	if err != nil {
		return nil, nil, fmt.Errorf("expand pattern: %w", err)
	}
	base := literalBase(path)
	for _, name := range names {
		m := match{Root: Root{Path: name, Base: base, Labels: s.labels(stars.FindStringSubmatch(name))}, pattern: true}
		switch err := m.open(); {
		case err != nil:
			dropped = append(dropped, err)
		case m.info != nil:
			all = append(all, m)
		}
	}
	return all, dropped, nil
}

// isLiteral reports whether the path of a source names a single directory.
func (s Source) isLiteral() bool { return s.Literal || !strings.ContainsAny(s.Path, "*?") }

// literalBase returns the directory above the first name with a wildcard.
func literalBase(pattern string) string {
	return filepath.Dir(pattern[:strings.IndexAny(pattern, "*?")] + "*")
}

// escape escapes the special characters of filepath.Glob except * and ?.
func escape(path string) string {
	pairs := []string{"[", "[[]"}
	if filepath.Separator != '\\' {
		pairs = append(pairs, `\`, `\\`)
	}
	return strings.NewReplacer(pairs...).Replace(path)
}

// starPattern returns a regular expression with a group for every * of a path.
func starPattern(path string) (*regexp.Regexp, error) {
	within := `[^` + regexp.QuoteMeta(string(filepath.Separator)) + `]`
	quoted := strings.NewReplacer(`\*`, `(`+within+`*)`, `\?`, within).Replace(regexp.QuoteMeta(path))
	return regexp.Compile(`^` + quoted + `$`)
}

// placeholder matches a reference to a * of the path in the value of a label.
var placeholder = regexp.MustCompile(`\{(\d+)\}`)

// labels returns the labels of a root; stars[n] is the text that the n-th * matched.
func (s Source) labels(stars []string) map[string]string {
	labels := make(map[string]string, len(s.Labels))
	for name, value := range s.Labels {
		value = placeholder.ReplaceAllStringFunc(value, func(p string) string {
			if n, err := strconv.Atoi(p[1 : len(p)-1]); err == nil && n < len(stars) {
				return stars[n]
			}
			return p
		})
		labels[name] = transcript.Clean(value)
	}
	return labels
}
