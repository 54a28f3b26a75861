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

// A Root is a directory to be read, and the labels of what is read there.
type Root struct {
	// Path is absolute. It need not exist unless a pattern led to it.
	Path string
	// Labels have clean values and nothing in them that stands for something.
	Labels map[string]string
}

// Roots returns the directories that the sources stand for now, in the order
// of the sources and, within a pattern, of their names. A directory that several
// sources lead to, be it by a symbolic link, is that of the first one. It is an
// error that a directory lies in another, since its files would be read twice.
func (c *Config) Roots() ([]Root, error) {
	roots, found := c.roots()
	if len(found) > 0 {
		return nil, found.join()
	}
	return roots, nil
}

// A place is a root, and how it came to be one.
type place struct {
	Root
	order  int    // among all roots
	source int    // the source that it is from
	real   string // without symbolic links, with a separator at its end
}

func (c *Config) roots() ([]Root, problems) {
	var (
		all   []place
		found problems
	)
	for i, s := range c.Sources {
		roots, err := s.roots()
		if err != nil {
			found.with("sources["+strconv.Itoa(i)+"].path", "%v", err)
		}
		for _, r := range roots {
			all = append(all, place{Root: r, order: len(all), source: i, real: realPath(r.Path)})
		}
	}
	// In this order, what lies in a directory comes right after it.
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.real, b.real) })
	all = slices.CompactFunc(all, func(a, b place) bool { return a.real == b.real })
	found = append(found, nested(all)...)
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.order, b.order) })
	roots := make([]Root, len(all))
	for i := range all {
		roots[i] = all[i].Root
	}
	return roots, found
}

// nested finds the places that lie in others. They are sorted by real.
func nested(all []place) problems {
	var found problems
	outer := 0
	for i := 1; i < len(all); i++ {
		if !strings.HasPrefix(all[i].real, all[outer].real) {
			outer = i
			continue
		}
		found.with("sources["+strconv.Itoa(all[i].source)+"].path",
			"%s lies in %s of sources[%d]: its files would be read twice", all[i].Path, all[outer].Path, all[outer].source)
	}
	return found
}

// realPath returns the path without symbolic links as far as it exists.
func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return strings.TrimRight(path, string(filepath.Separator)) + string(filepath.Separator)
}

// roots returns the directories that a source stands for now.
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

// escape makes ordinary characters of those that package filepath would take
// for more, save * and ?.
func escape(path string) string {
	pairs := []string{"[", "[[]"}
	if filepath.Separator != '\\' {
		pairs = append(pairs, `\`, `\\`)
	}
	return strings.NewReplacer(pairs...).Replace(path)
}

// starPattern is a regular expression with a group for every * of a path.
func starPattern(path string) (*regexp.Regexp, error) {
	within := `[^` + regexp.QuoteMeta(string(filepath.Separator)) + `]`
	quoted := strings.NewReplacer(`\*`, `(`+within+`*)`, `\?`, within).Replace(regexp.QuoteMeta(path))
	return regexp.Compile(`^` + quoted + `$`)
}

// placeholder is what stands for a * of the path in the value of a label.
var placeholder = regexp.MustCompile(`\{(\d+)\}`)

// labels returns the labels of a root; stars[n] is what the n-th * stood for.
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
