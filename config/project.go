package config

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// maxCachedNames is the number of project names cached: usually more than there are
// active directories.
const maxCachedNames = 1024

// maxCachedDir is the length of the longest directory cached. No system has longer
// directories, but a transcript may contain any text.
const maxCachedDir = 4 << 10

// Project returns the name of the project in a working directory, cleaned for use as a
// label value. It is empty if cwd is, and also with NoName if no rule matches.
//
// A worktree in <checkout>/.claude/worktrees, where Claude Code creates them, or in a
// directory where other programs do, belongs to its checkout, also for the rules; if
// the path states only the name of the checkout, to a directory of that name beside the
// worktrees. Windows paths are
// understood on every system. Names and rules are in Unicode's composed form (NFC),
// since macOS has names in both forms, which look the same.
func (l *Labels) Project(cwd string) string {
	if name, ok := l.projectNames[cwd]; ok {
		return name
	}
	if l.projectNames == nil {
		l.projectNames = make(map[string]string)
	}
	if len(l.projectNames) >= maxCachedNames {
		clear(l.projectNames)
	}
	// Cloned, since cwd may be part of a long line, and name may be part of cwd.
	name := strings.Clone(transcript.Clean(l.Projects.name(norm.NFC.String(cwd))))
	if len(cwd) <= maxCachedDir {
		l.projectNames[strings.Clone(cwd)] = name
	}
	return name
}

func (p *Projects) name(cwd string) string {
	if cwd == "" {
		return ""
	}
	dir := checkout(cwd)
	for _, r := range p.Map {
		if name := r.Match.expand(r.Name, dir); name != "" {
			return name
		}
	}
	switch p.Naming {
	case NoName:
		return ""
	case ByPath:
		return dir
	default:
		return lastElement(dir)
	}
}

// worktreeDirs are the directories in a checkout that contain its worktrees.
var worktreeDirs = []string{"/.claude/worktrees/", "/.worktrees/", "/.conductor/", "/.emdash/worktrees/"}

// worktreeStores are the directories in which programs keep worktrees of all checkouts:
// as CHECKOUT/WORKTREE or, with worktreeFirst, as WORKTREE/CHECKOUT.
var worktreeStores = []struct {
	dir           string
	worktreeFirst bool
}{
	{"/conductor/workspaces/", false},
	{"/.cursor/worktrees/", false},
	{"/.superset/worktrees/", false},
	{"/emdash/worktrees/", false},
	{"/vibe-kanban/worktrees/", true},
	{"/.vibe-kanban/worktrees/", true},
	{"/.codex/worktrees/", true},
}

// checkout returns the checkout of the worktree dir, or dir itself if it is no
// worktree, without trailing separators.
func checkout(dir string) string {
	trimmed := strings.TrimRight(dir, separators(dir))
	if isWindows(dir) {
		dir = strings.ReplaceAll(trimmed, `\`, "/")
	} else {
		dir = trimmed
	}
	for _, worktrees := range worktreeDirs {
		dir, _, _ = strings.Cut(dir, worktrees)
	}
	dir = strings.TrimRight(dir, "/")
	if dir == "" {
		return "/"
	}
	at, name := inStore(dir)
	return trimmed[:at] + name
}

// inStore splits the path of a worktree in a store into the length of the path of the
// store and the name of the checkout. Another directory has no name.
func inStore(dir string) (at int, name string) {
	for _, store := range worktreeStores {
		before, below, ok := strings.Cut(dir, store.dir)
		if !ok {
			continue
		}
		first, rest, _ := strings.Cut(below, "/")
		second, _, _ := strings.Cut(rest, "/")
		if store.worktreeFirst {
			first, second = second, first
		}
		if first != "" && second != "" {
			return len(before) + len(store.dir), first
		}
	}
	return len(dir), ""
}

// lastElement returns the last element of a directory, or dir if that is empty.
func lastElement(dir string) string {
	if name := dir[strings.LastIndexAny(dir, separators(dir))+1:]; name != "" {
		return name
	}
	return dir
}

// separators returns the characters that separate the elements of a directory.
func separators(dir string) string {
	if isWindows(dir) {
		return `\/`
	}
	return "/"
}

// isWindows reports whether a directory has the form C:\x or \\server\x.
func isWindows(dir string) bool {
	if strings.HasPrefix(dir, `\\`) {
		return true
	}
	return len(dir) >= 2 && dir[1] == ':' && 'a' <= dir[0]|0x20 && dir[0]|0x20 <= 'z'
}
