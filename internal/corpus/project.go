package corpus

import (
	"strconv"
	"strings"
)

// A project is a directory in which somebody uses Claude Code.
type project struct {
	cwd string // escaped
	dir string // below the root of the corpus
}

// newProjects draws projects of different names.
func newProjects(d dice, n int) []project {
	all := make([]project, 0, n)
	for i := range n {
		cwd := "/home/dev/" + pick(d, nouns) + "-" + pick(d, nouns) + "-" + strconv.Itoa(i+1)
		switch {
		case i%9 == 8:
			cwd = `C:\Users\dev\` + pick(d, nouns) + strconv.Itoa(i+1)
		case i%7 == 6:
			cwd = all[i-1].cwd + "/.claude/worktrees/" + pick(d, nouns)
		}
		all = append(all, project{strings.ReplaceAll(cwd, `\`, `\\`), "projects/" + strings.Map(dash, cwd)})
	}
	return all
}

// dash is how Claude Code makes the name of a directory of a path.
func dash(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}
