package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Root is a directory to read and the labels to add to the series from it.
type Root struct {
	// Path is absolute. It may not exist, unless it matched a pattern.
	Path string
	// Labels have clean values, with placeholders replaced.
	Labels map[string]string
}

// Roots returns the directories that the sources currently match, in the order of the
// sources and sorted by name within a pattern. A directory that several sources match,
// also through symbolic links, belongs to the first of them. A directory inside another
// is an error, since its files would be read twice.
func (c *Config) Roots() ([]Root, error) {
	roots, found := c.roots()
	if len(found) > 0 {
		return nil, found.join("")
	}
	return roots, nil
}

// A candidate is a root that may be a duplicate, or inside another.
type candidate struct {
	Root
	order    int    // among all candidates
	source   int    // index in Config.Sources
	resolved string // path without symbolic links, with a separator at its end
}

func (c *Config) roots() ([]Root, problems) {
	var all []candidate
	var found problems
	for i, s := range c.Sources {
		roots, err := s.roots()
		if err != nil {
			found.addKey("sources["+strconv.Itoa(i)+"].path", "%v", err)
		}
		for _, r := range roots {
			all = append(all, candidate{r, len(all), i, resolve(r.Path)})
		}
	}
	// In this order, a directory comes right before those inside it.
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.resolved, b.resolved) })
	all = slices.CompactFunc(all, func(a, b candidate) bool { return a.resolved == b.resolved })
	found = append(found, nested(all)...)
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	roots := make([]Root, len(all))
	for i := range all {
		roots[i] = all[i].Root
	}
	return roots, found
}

// nested returns problems for candidates inside others. They are sorted by resolved.
func nested(all []candidate) problems {
	var found problems
	outer := 0
	for i := 1; i < len(all); i++ {
		if !strings.HasPrefix(all[i].resolved, all[outer].resolved) {
			outer = i
			continue
		}
		found.addKey("sources["+strconv.Itoa(all[i].source)+"].path",
			"%s is inside %s of sources[%d]: its files would be read twice", all[i].Path, all[outer].Path, all[outer].source)
	}
	return found
}

// resolve resolves the symbolic links of a path, if it exists.
func resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return strings.TrimRight(path, string(filepath.Separator)) + string(filepath.Separator)
}

// roots returns the directories that a source currently matches.
func (s Source) roots() ([]Root, error) {
	path := filepath.Clean(s.Path)
	if s.Literal || !strings.ContainsAny(path, "*?") {
		return []Root{{Path: path, Labels: s.labels(nil)}}, nil
	}
	stars, err := starPattern(path)
	if err != nil {
		return nil, fmt.Errorf("read pattern: %w", err)
	}
	names, err := filepath.Glob(escape(path))
	if err != nil {
		return nil, fmt.Errorf("expand pattern: %w", err)
	}
	var roots []Root
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			roots = append(roots, Root{Path: name, Labels: s.labels(stars.FindStringSubmatch(name))})
		}
	}
	return roots, nil
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

// labels returns the labels of a root; stars[n] is what the n-th * matched.
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
