package naive

import (
	"iter"
	"path"
	"strings"
)

// maxProjects is the number of values that the label project may have by default.
const maxProjects = 100

// A line is an entry with what earlier lines say about it.
type line struct {
	Entry
	file    *File
	number  int // of the entry in its file
	project string
	side    bool // it is not part of a main conversation
}

// lines visits all entries of a tree in the order in which "ccwatchd once" reads them.
func (t *Tree) lines() iter.Seq[*line] {
	return func(yield func(*line) bool) {
		projects := make(map[string]bool)
		for _, f := range t.Files {
			project := "unknown"
			for i, e := range f.Entries {
				if name := projectIn(e.Text("cwd")); name != "" {
					project = limited(projects, name)
				}
				side := e.At("isSidechain") == true || strings.HasPrefix(path.Base(f.Path), "agent-")
				if !yield(&line{e, f, i, project, side}) {
					return
				}
			}
		}
	}
}

// limited returns the name of a project, or "other" if there are too many.
func limited(known map[string]bool, name string) string {
	if !known[name] && name != "other" && len(known) == maxProjects {
		return "other"
	}
	if name != "other" {
		known[name] = true
	}
	return name
}

// projectIn returns the name of the project in a working directory.
func projectIn(dir string) string {
	if strings.HasPrefix(dir, `\\`) || len(dir) > 1 && dir[1] == ':' {
		dir = strings.ReplaceAll(dir, `\`, "/")
	}
	dir = strings.TrimRight(dir, "/")
	for _, worktrees := range []string{"/.claude/worktrees/", "/.worktrees/"} {
		dir, _, _ = strings.Cut(dir, worktrees)
	}
	return dir[strings.LastIndex(dir, "/")+1:]
}

// A set has the keys of what was counted.
type set map[string]bool

// first adds a key, of which the parts are joined, and reports whether it is new.
func (s set) first(parts ...string) bool {
	key := strings.Join(parts, "\x00")
	if s[key] {
		return false
	}
	s[key] = true
	return true
}
