package naive

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ccwatchd/ccwatchd/test/reference/cost"
)

// docs/attribution.md: the runs of sub-agents.

var subagentFamilies = []string{"claude_subagent_runs_total", "claude_subagent_duration_seconds"}

// An agentFile is what a transcript says about its agent, as far as it was read.
type agentFile struct {
	*File
	kind     string // of a copy of a session, else empty
	isAgent  bool
	prompted bool
	warmup   bool
	stated   string // the type in the description
}

func newAgentFile(f *File) *agentFile {
	base := path.Base(f.Path)
	a := &agentFile{File: f, isAgent: strings.HasPrefix(base, "agent-")}
	for _, kind := range []string{"compact", "prompt_suggestion", "side_question"} {
		if strings.HasPrefix(base, "agent-a"+kind+"-") {
			a.kind = kind
		}
	}
	if !a.isAgent {
		return a
	}
	name, _, _ := strings.Cut(base, ".jsonl")
	var description struct {
		AgentType any `json:"agentType"`
	}
	if b, err := os.ReadFile(filepath.Join(f.Dir, name+".meta.json")); err == nil && len(b) <= 64<<10 && json.Unmarshal(b, &description) == nil {
		a.stated, _ = description.AgentType.(string)
	}
	return a
}

// see reads an entry that is not the model's.
func (a *agentFile) see(e Entry) {
	if a.isAgent && !a.prompted && e.Text("type") == "user" {
		a.prompted = true
		texts := e.Objects("message", "content")
		a.warmup = e.At("message", "content") == "Warmup" ||
			len(texts) > 0 && texts[0].Text("type") == "text" && texts[0].Text("text") == "Warmup"
	}
}

// agent returns the agent label of an entry.
func (a *agentFile) agent(e Entry) string {
	switch {
	case a.warmup:
		return "warmup"
	case a.kind != "":
		return a.kind
	case a.isAgent, e.At("isSidechain") == true:
		return "subagent"
	}
	return "main"
}

// typeOf returns the type of the sub-agent that wrote an entry.
func (a *agentFile) typeOf(e Entry) string {
	return cmp.Or(public(cmp.Or(e.Text("attributionAgent"), a.stated), publicAgents), "unknown")
}

// inReadingOrder returns sessions before sub-agents, and older files first.
func inReadingOrder(tree *Tree) []*File {
	modified := make(map[*File]time.Time)
	for _, f := range tree.Files {
		if info, err := os.Stat(filepath.Join(f.Dir, path.Base(f.Path))); err == nil {
			modified[f] = info.ModTime()
		}
	}
	agent := func(f *File) int {
		if newAgentFile(f).isAgent {
			return 1
		}
		return 0
	}
	files := slices.Clone(tree.Files)
	slices.SortStableFunc(files, func(a, b *File) int {
		return cmp.Or(agent(a)-agent(b), modified[a].Compare(modified[b]), strings.Compare(a.Path, b.Path))
	})
	return files
}

// countSubagents counts the run of every transcript of a sub-agent.
func countSubagents(tree *Tree, to *Totals) {
	for _, f := range tree.Files {
		a := newAgentFile(f)
		if !a.isAgent {
			continue
		}
		var lines []Entry
		var resumed []int // lines after a pause
		pause := false
		paused := afterPause(f, tree.Now)
		for i, e := range f.Entries {
			pause = pause || paused[i]
			if t := e.Text("type"); t == "user" || t == "assistant" {
				a.see(e)
				if pause {
					resumed, pause = append(resumed, len(lines)), false
				}
				lines = append(lines, e)
			}
		}
		if len(lines) > 0 {
			a.countRun(lines, resumed, tree.Now, to)
		}
	}
}

func (a *agentFile) countRun(lines []Entry, resumed []int, now float64, to *Totals) {
	end := len(lines)
	if a.kind == "" {
		end = endOfRun(lines, resumed, now)
	}
	isLast := end == len(lines)
	lines = lines[:end]
	if _, last, ok := spanOf(lines, now); ok && isLast && outcomeOf(lines) == "unfinished" && now-float64(last.UnixMilli())/1000 <= 24*60*60 {
		return // it may go on
	}
	agentType := cmp.Or(public(a.stated, publicAgents), "unknown")
	for _, e := range lines {
		agentType = cmp.Or(public(e.Text("attributionAgent"), publicAgents), agentType)
	}
	if a.warmup {
		agentType = "warmup"
	}
	agentType = cmp.Or(a.kind, agentType)
	to.Add(1, "claude_subagent_runs_total", "type", agentType, "outcome", outcomeOf(lines))
	if first, last, ok := spanOf(lines, now); ok && a.kind == "" {
		to.Observe(last.Sub(first).Seconds(), "claude_subagent_duration_seconds", "type", agentType)
	}
}

// endOfRun returns the index of the first line that belongs to no run: after a pause,
// if the run had ended by then, or more than a day after it.
func endOfRun(lines []Entry, resumed []int, now float64) int {
	for i, e := range lines {
		if slices.Contains(resumed, i) && outcomeOf(lines[:i]) != "unfinished" {
			return i
		}
		_, last, ok := spanOf(lines[:i], now)
		if at, stated := timeBefore(now, e); ok && stated && at.After(last.Add(24*time.Hour)) {
			return i
		}
	}
	return len(lines)
}

// timeBefore returns the time of a line, unless it states none or a later one than now.
func timeBefore(now float64, e Entry) (at time.Time, ok bool) {
	at, ok = cost.ParseTime(e.Text("timestamp"))
	return at, ok && float64(at.UnixMilli())/1000 <= now
}

// spanOf returns the earliest and the latest time of lines.
func spanOf(lines []Entry, now float64) (first, last time.Time, ok bool) {
	for _, e := range lines {
		at, stated := timeBefore(now, e)
		if !stated {
			continue
		}
		if !ok || at.Before(first) {
			first = at
		}
		if !ok || at.After(last) {
			last = at
		}
		ok = true
	}
	return first, last, ok
}

func isMessage(e Entry) bool {
	usage, _ := e.At("message", "usage").(map[string]any)
	return e.Text("type") == "assistant" && usage != nil && e.Text("message", "model") != "<synthetic>"
}

func isFailure(e Entry) bool {
	message, _ := e.At("message").(map[string]any)
	return e.Text("type") == "assistant" && message != nil && e.At("isApiErrorMessage") == true
}

func sameMessage(a, b Entry) bool {
	id := cmp.Or(a.Text("message", "id"), a.Text("uuid"))
	return id != "" && id == cmp.Or(b.Text("message", "id"), b.Text("uuid"))
}

// outcomeOf returns how a run ended, by the last line that shows it.
func outcomeOf(lines []Entry) string {
	for i, e := range slices.Backward(lines) {
		switch {
		case isFailure(e):
			return "failed"
		case endsInterrupted(e):
			return "interrupted"
		case e.Text("type") == "user":
			return "unfinished"
		case isMessage(e):
			return answerOutcome(lines[:i+1])
		}
	}
	return "unfinished"
}

// answerOutcome returns how a run ended whose last line is one of a message: by all
// lines of it since the last one of another message.
func answerOutcome(lines []Entry) string {
	last, goesOn := lines[len(lines)-1], false
	for _, e := range slices.Backward(lines) {
		if !isMessage(e) {
			continue
		}
		if !sameMessage(e, last) {
			break
		}
		switch e.Text("message", "stop_reason") {
		case "end_turn", "stop_sequence", "refusal":
			return "completed"
		case "tool_use", "pause_turn", "compaction":
			goesOn = true
			continue
		}
		goesOn = goesOn || slices.ContainsFunc(e.Objects("message", "content"), func(b Entry) bool {
			return slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use"}, b.Text("type"))
		})
	}
	if goesOn {
		return "unfinished"
	}
	return "completed"
}

// endsInterrupted reports whether a line says that the user interrupted the sub-agent.
func endsInterrupted(e Entry) bool {
	isText := func(s string) bool {
		s = strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f })
		return strings.HasPrefix(s, "[Request interrupted by user")
	}
	if text, ok := e.At("message", "content").(string); ok {
		return e.Text("type") == "user" && isText(text)
	}
	blocks := e.Objects("message", "content")
	isResult := func(b Entry) bool { return strings.HasSuffix(b.Text("type"), "tool_result") }
	return e.Text("type") == "user" && !slices.ContainsFunc(blocks, isResult) &&
		slices.ContainsFunc(blocks, func(b Entry) bool { return b.Text("type") == "text" && isText(b.Text("text")) })
}
