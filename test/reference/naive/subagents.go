package naive

import (
	"cmp"
	"slices"
)

// subagentsRule implements docs/design/work.md: the runs of sub-agents.
func subagentsRule() Rule {
	return Rule{[]string{"claude_subagent_runs_total", "claude_subagent_duration_seconds"}, countSubagents}
}

const day = 24 * 60 * 60 * 1000

// countSubagents counts the run of every transcript of a sub-agent.
func countSubagents(tree *Tree, to Totals) {
	for _, f := range tree.Files {
		var lines []*Line
		var resumed []int // lines after a pause
		pause := false
		for _, l := range f.Lines {
			pause = pause || l.paused
			if t := l.Text("type"); t == "user" || t == "assistant" {
				if pause {
					resumed, pause = append(resumed, len(lines)), false
				}
				lines = append(lines, l)
			}
		}
		if f.isAgent && len(lines) > 0 {
			f.countRun(lines, resumed, tree.Now, to)
		}
	}
}

func (f *File) countRun(lines []*Line, resumed []int, now int64, to Totals) {
	end := len(lines)
	if f.kind == "" {
		end = endOfRun(lines, resumed, now)
	}
	isLast := end == len(lines)
	lines = lines[:end]
	first, last := spanOf(lines, now)
	if last > 0 && isLast && outcomeOf(lines) == "unfinished" && now-last <= day {
		return // it may go on
	}
	agentType := cmp.Or(public(f.stated, publicAgents), "unknown")
	for _, l := range lines {
		agentType = cmp.Or(public(l.Text("attributionAgent"), publicAgents), agentType)
	}
	if f.warmup {
		agentType = "warmup"
	}
	agentType = cmp.Or(f.kind, agentType)
	to.Add(1, "claude_subagent_runs_total", "type", agentType, "outcome", outcomeOf(lines))
	if last > 0 && f.kind == "" {
		to.Observe(float64(last-first)/1000, "claude_subagent_duration_seconds", "type", agentType)
	}
}

// endOfRun returns the index of the first line that belongs to no run: after a pause,
// if the run had ended by then, or more than a day after it.
func endOfRun(lines []*Line, resumed []int, now int64) int {
	for i, l := range lines {
		if slices.Contains(resumed, i) && outcomeOf(lines[:i]) != "unfinished" {
			return i
		}
		if _, last := spanOf(lines[:i], now); last > 0 && l.at <= now && l.at > last+day {
			return i
		}
	}
	return len(lines)
}

// spanOf returns the earliest and the latest time of lines, without times after now.
func spanOf(lines []*Line, now int64) (first, last int64) {
	return timesOf(slices.DeleteFunc(slices.Clone(lines), func(l *Line) bool { return l.at > now }))
}

func (l *Line) isFailure() bool {
	_, hasMessage := l.At("message").(map[string]any)
	return l.Text("type") == "assistant" && hasMessage && l.At("isApiErrorMessage") == true
}

// outcomeOf returns how a run ended, by the last line that shows it.
func outcomeOf(lines []*Line) string {
	for i, l := range slices.Backward(lines) {
		switch {
		case l.isFailure():
			return "failed"
		case l.prompt() == interruption:
			return "interrupted"
		case l.Text("type") == "user":
			return "unfinished"
		case l.key != "":
			return answerOutcome(lines[:i+1])
		}
	}
	return "unfinished"
}

// answerOutcome returns the outcome of a run that ends with a line of a message. It
// depends on all lines since the last line of another message.
func answerOutcome(lines []*Line) string {
	last, goesOn := lines[len(lines)-1], false
	for _, l := range slices.Backward(lines) {
		if l.key == "" {
			continue
		}
		if l.key != last.key {
			break
		}
		if l.endsAnswer() {
			return "completed"
		}
		goesOn = goesOn || l.goesOn()
	}
	if goesOn {
		return "unfinished"
	}
	return "completed"
}

// endsAnswer reports whether a line of a message states that it ends the answer.
func (l *Line) endsAnswer() bool {
	return slices.Contains([]string{"end_turn", "stop_sequence", "refusal"}, l.Text("message", "stop_reason"))
}

// goesOn reports whether a line of a message shows that another one follows it.
func (l *Line) goesOn() bool {
	return len(l.Calls()) > 0 || slices.Contains([]string{"tool_use", "pause_turn", "compaction"}, l.Text("message", "stop_reason"))
}
