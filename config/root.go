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
// by whatever path, belongs to the first of them. A directory inside another is an
// error, since its files would be read twice.
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
	source int      // index in Config.Sources
	places []string // of the directory and those above it, see placeFinder
}

func (c *Config) roots() ([]Root, problems) {
	var all []candidate
	var found problems
	at, finder := make(map[string]candidate), make(placeFinder)
	for i, s := range c.Sources {
		roots, err := s.roots()
		if err != nil {
			found.addKey("sources["+strconv.Itoa(i)+"].path", "%v", err)
		}
		for _, r := range roots {
			one := candidate{r, i, finder.above(r.Path)}
			if _, duplicate := at[one.places[0]]; !duplicate {
				at[one.places[0]], all = one, append(all, one)
			}
		}
	}
	var roots []Root
	for _, r := range all {
		roots = append(roots, r.Root)
		for _, place := range slices.Backward(r.places[1:]) {
			if outer, ok := at[place]; ok {
				found.addKey("sources["+strconv.Itoa(r.source)+"].path",
					"%s is inside %s of sources[%d]: its files would be read twice", r.Path, outer.Path, outer.source)
				break
			}
		}
	}
	return roots, found
}

// A placeFinder returns keys of directories, and remembers them by path. A directory
// has one key, whatever its path: paths may differ by links, mounts, and where the file
// system ignores that, by case and Unicode normalization. A missing directory has its
// path as key.
type placeFinder map[string]string

// above returns the keys of a directory and of those above it, from the inside out.
func (p placeFinder) above(path string) (keys []string) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	for {
		keys = append(keys, p.key(path))
		parent := filepath.Dir(path)
		if parent == path {
			return keys
		}
		path = parent
	}
}

func (p placeFinder) key(path string) string {
	key, known := p[path]
	if !known {
		if info, err := os.Stat(path); err == nil {
			key = fileKey(info)
		}
		key = cmp.Or(key, path)
		p[path] = key
	}
	return key
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
