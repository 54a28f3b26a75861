package config

import (
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// maxNames is how many names of projects are remembered. More directories than
// that are rarely at work at once.
const maxNames = 1024

// maxRemembered is the length of the longest directory whose name is remembered:
// no system has longer ones, but a line may say anything.
const maxRemembered = 4 << 10

// Project returns the name of the project in a working directory, clean as a
// label's value. It is empty if cwd is, and always under NoName where no rule
// gives a name.
//
// A worktree in <checkout>/.claude/worktrees, where Claude Code makes them, or in
// <checkout>/.worktrees counts to that checkout, rules included. A directory of
// Windows is understood on every system.
func (l *Labels) Project(cwd string) string {
	if name, ok := l.names[cwd]; ok {
		return name
	}
	if l.names == nil {
		l.names = make(map[string]string)
	}
	if len(l.names) >= maxNames {
		clear(l.names)
	}
	// Neither may hold on to cwd, which may be a piece of a long line, or be long
	// itself and the name a piece of it.
	name := strings.Clone(transcript.Clean(l.Projects.name(cwd)))
	if len(cwd) <= maxRemembered {
		l.names[strings.Clone(cwd)] = name
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

// worktrees are the directories in a checkout in which its worktrees are.
var worktrees = []string{"/.claude/worktrees/", "/.worktrees/"}

// checkout returns the checkout that dir is a worktree of, or else dir itself;
// both without separators at the end.
func checkout(dir string) string {
	trimmed := strings.TrimRight(dir, separators(dir))
	if isWindows(dir) {
		dir = strings.ReplaceAll(trimmed, `\`, "/")
	} else {
		dir = trimmed
	}
	for _, between := range worktrees {
		if i := strings.Index(dir, between); i >= 0 {
			dir = dir[:i]
		}
	}
	dir = strings.TrimRight(dir, "/")
	if dir == "" {
		return "/"
	}
	return trimmed[:len(dir)]
}

// lastElement returns the name of a directory without those it lies in.
func lastElement(dir string) string {
	if name := dir[strings.LastIndexAny(dir, separators(dir))+1:]; name != "" {
		return name
	}
	return dir
}

// separators are what separates the elements of a directory.
func separators(dir string) string {
	if isWindows(dir) {
		return `\/`
	}
	return "/"
}

// isWindows reports whether a directory is one of Windows: C:\x or \\server\x.
func isWindows(dir string) bool {
	if strings.HasPrefix(dir, `\\`) {
		return true
	}
	return len(dir) >= 2 && dir[1] == ':' && 'a' <= dir[0]|0x20 && dir[0]|0x20 <= 'z'
}
