package corpus

import (
	"bytes"
	"regexp"
)

// hook counts a hook run.
func (e *Expected) hook(event string) { e.add("hook_runs", "event="+event+",outcome=success", 1) }

// operations are what tools do with the file in their input.
var operations = map[string]string{
	"Read": "read", "Edit": "edited", "MultiEdit": "edited", "NotebookEdit": "edited", "Write": "written",
}

var (
	inputPath  = regexp.MustCompile(`^"(?:file|notebook)_path":"((?:[^"\\]|\\.)*)"`)
	calledWith = regexp.MustCompile(`"name":"(\w+)","input":\{("(?:file|notebook)_path":"(?:[^"\\]|\\.)*")`)
	lineOwner  = regexp.MustCompile(`"sessionId":"([^"]*)","version"`)
	commitHash = regexp.MustCompile(`"gitOperation":\{"commit":\{"sha":"(\w+)"`)
	linkedURL  = regexp.MustCompile(`"prUrl":"([^"]*)"`)
)

// touched counts the file in the input of a tool call, once for each session.
func (e *Expected) touched(session, tool string, input []byte) {
	operation, path := operations[tool], inputPath.FindSubmatch(input)
	if operation != "" && path != nil {
		e.doneOnce("files_touched", "operation="+operation, session+" "+string(path[1]))
	}
}

// copied counts the files in a copied line, which may belong to another session.
func (e *Expected) copied(line []byte) {
	owner := lineOwner.FindSubmatch(line)
	for _, call := range calledWith.FindAllSubmatch(line, -1) {
		e.touched(string(owner[1]), string(call[1]), call[2])
	}
}

// detail counts what Claude Code keeps of a result of Bash.
func (e *Expected) detail(b []byte) {
	if bytes.Contains(b, []byte(`,"backgroundTaskId":"`)) {
		e.add("background_tasks", "kind=shell", 1)
	}
	if hash := commitHash.FindSubmatch(b); hash != nil {
		e.doneOnce("commits", "", string(hash[1]))
	}
}

// linked counts the pull request in an entry.
func (e *Expected) linked(b []byte) {
	if url := linkedURL.FindSubmatch(b); url != nil {
		e.doneOnce("pull_requests", "", string(url[1]))
	}
}

func (e *Expected) doneOnce(metric, labels, id string) {
	if key := metric + " " + labels + " " + id; !e.done[key] {
		e.done[key] = true
		e.add(metric, labels, 1)
	}
}
