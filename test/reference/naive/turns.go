package naive

import (
	"regexp"
	"slices"
)

// turnsRule implements docs/design/turns.md.
func turnsRule() Rule {
	return Rule{[]string{"claude_turns_total", "claude_turn_seconds", "claude_turn_requests", "claude_turn_tool_calls"}, func(tree *Tree, to Totals) {
		for _, copies := range tree.Turns() {
			t := FirstAtRest(copies)
			to.Add(1, "claude_turns_total", "project", t.project)
			if t.Timed {
				to.Observe(float64(t.Milliseconds)/1000, "claude_turn_seconds")
			}
			to.Observe(float64(t.Requests), "claude_turn_requests")
			to.Observe(float64(t.Calls), "claude_turn_tool_calls")
		}
	}}
}

// A Turn is a copy of a prompt and of the answer to it.
type Turn struct {
	Timed                         bool // it and its answer state times
	Milliseconds, Requests, Calls int64

	// AtEnd reports that only the quiet of the file shows that the turn is over.
	AtEnd bool

	project string
	keys    []string
}

// FirstAtRest returns the copy that ends first if files count as quiet when all have
// been read.
func FirstAtRest(copies []Turn) Turn {
	return copies[max(0, slices.IndexFunc(copies, func(t Turn) bool { return !t.AtEnd }))]
}

// Turns returns the turns of a tree, each with its copies in the order of their ends.
// It makes two passes over a whole file: the first finds where a turn must end, the
// second where its answer ends.
func (t *Tree) Turns() (turns [][]Turn) {
	index := make(map[string]int)
	for _, f := range t.Files {
		if f.isAgent {
			continue
		}
		for _, turn := range turnsIn(f) {
			i, ok := index[turn.keys[0]]
			if !ok {
				i, ok = index[turn.keys[1]]
			}
			if !ok {
				i, turns = len(turns), append(turns, nil)
			}
			for _, key := range turn.keys {
				index[key] = i
			}
			turns[i] = append(turns[i], turn)
		}
	}
	return turns
}

func turnsIn(f *File) (found []Turn) {
	main := slices.DeleteFunc(slices.Clone(f.Lines), func(l *Line) bool { return l.side })
	for i, l := range main {
		switch l.prompt() {
		case "", "local_command", interruption:
			continue
		case "queued", "bash":
			if inProgress(main[:i]) >= 0 {
				continue
			}
		}
		next := slices.IndexFunc(main[i+1:], (*Line).isBoundary)
		closed := next >= 0
		if !closed {
			next = len(main) - i - 1
		}
		lines, rest, ended := answerTo(main[i+1 : i+1+next])
		if t := turnOf(l, lines); t.Requests > 0 && (ended || closed) {
			t.AtEnd = !closed && !slices.ContainsFunc(rest, func(l *Line) bool { return l.paused || l.isExit() || l.isAnother("") })
			found = append(found, t)
		}
	}
	return found
}

// isBoundary reports whether no turn goes on beyond a line.
func (l *Line) isBoundary() bool {
	return slices.Contains([]string{"text", "command", "sdk", interruption}, l.prompt())
}

// inProgress returns the index of the prompt whose turn is in progress after some
// lines, or -1.
func inProgress(before []*Line) int {
	for i, l := range slices.Backward(before) {
		switch l.prompt() {
		case "", "local_command":
			continue
		case interruption:
			return -1
		case "queued", "bash":
			if began := inProgress(before[:i]); began >= 0 {
				i = began
			}
		}
		lines, _, ended := answerTo(before[i+1:])
		if ended || len(lines) > 0 && lines[len(lines)-1].isFailure() {
			return -1
		}
		return i
	}
	return -1
}

// isAnother reports whether a line does not continue a message: it belongs to another
// message, or shows that the answer is over.
func (l *Line) isAnother(message string) bool {
	isTurn := l.isTurnDuration() && l.Count("pendingBackgroundAgentCount")+l.Count("pendingWorkflowCount") == 0
	return l.key != "" && l.key != message || l.isFailure() || isTurn || l.prompt() == "queued" || l.prompt() == "bash"
}

func (l *Line) isTurnDuration() bool {
	return l.Text("type") == "system" && l.Text("subtype") == "turn_duration"
}

// isExit reports whether Claude Code wrote a line when it exited.
func (l *Line) isExit() bool { return l.Text("type") == "cost-state" }

// noticeOf matches a notification of a background task, which some tool call began.
var noticeOf = regexp.MustCompile(`(?s)^<task-notification.*?<tool-use-id>\s*(.*?)\s*</tool-use-id>`)

// isNoticeFor reports whether a line notifies the model of a task that some lines
// began.
func (l *Line) isNoticeFor(lines []*Line) bool {
	blocks := l.Blocks()
	if l.Text("type") != "user" || len(blocks) == 0 || blocks[0].Text("type") != "text" {
		return false
	}
	call := noticeOf.FindStringSubmatch(trimText(blocks[0].Text("text")))
	return len(call) == 2 && slices.ContainsFunc(lines, func(l *Line) bool { return slices.Contains(l.calls, "id "+call[1]) })
}

// answerTo splits lines without a boundary into the answer at their beginning and the
// rest, which begins with the line that ends the answer. It reports whether the answer
// ends in them.
func answerTo(after []*Line) (answer, rest []*Line, ended bool) {
	last, stated, asks := "", false, false // what any line of the latest message says: the turn ends, or goes on
	open := func() bool { return asks && !stated }
	for i, l := range after {
		another := l.isAnother(last)
		if last != "" && (l.isExit() || (another || l.paused) && !open()) {
			return answer, after[i:], true
		}
		switch {
		case l.key != "":
			if another {
				last, stated, asks = l.key, false, false
			}
			stated, asks = stated || l.endsAnswer(), asks || l.goesOn()
			answer = append(answer, l)
		case l.isNoticeFor(answer):
			stated, asks = false, true
		case l.isFailure():
			return append(answer, l), after[i+1:], last != ""
		case l.Text("type") == "user" && l.hasResult() && (last == "" || open()):
			answer = append(answer, l)
		}
	}
	return answer, nil, last != "" && !open()
}

func turnOf(prompt *Line, lines []*Line) Turn {
	t := Turn{project: prompt.project, keys: prompt.promptKeys()}
	messages, calls := make(set), make(set)
	_, last := timesOf(lines)
	for _, l := range lines {
		if l.key == "" {
			continue
		}
		messages.first(l.key)
		for _, key := range l.calls {
			calls.first(key)
		}
	}
	t.Timed = prompt.at > 0 && last > 0
	t.Milliseconds, t.Requests, t.Calls = max(0, last-prompt.at), int64(len(messages)), int64(len(calls))
	return t
}
