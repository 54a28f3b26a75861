package naive

import (
	"path"
	"strings"
)

// cacheAgent returns who sent a request.
func cacheAgent(base string, warmup, side bool) string {
	if warmup {
		return "warmup"
	}
	for _, kind := range []string{"compact", "prompt_suggestion", "side_question"} {
		if strings.HasPrefix(base, "agent-a"+kind+"-") {
			return kind
		}
	}
	if side {
		return "subagent"
	}
	return "main"
}

func cacheIsWarmup(e Entry) bool {
	content := e.At("message", "content")
	if list, ok := content.([]any); ok && len(list) > 0 {
		content = list[0]
		if member(content, "type") == "text" {
			content = member(content, "text")
		}
	}
	return content == "Warmup"
}

// cacheProject returns the name of the project in a working directory.
func cacheProject(dir string) string {
	if strings.HasPrefix(dir, `\\`) || len(dir) > 1 && dir[1] == ':' {
		dir = strings.ReplaceAll(dir, `\`, "/")
	}
	dir = strings.TrimRight(dir, "/")
	for _, worktrees := range []string{"/.claude/worktrees/", "/.worktrees/"} {
		dir, _, _ = strings.Cut(dir, worktrees)
	}
	return path.Base("/" + dir)[strings.LastIndex(path.Base("/"+dir), "/")+1:]
}

// cacheLimited returns a project, or "other" if the label has 100 other values.
func cacheLimited(known map[string]bool, name string) string {
	if !known[name] && len(known) == 100 {
		return "other"
	}
	known[name] = true
	return name
}
