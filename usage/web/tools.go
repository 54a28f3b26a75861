package web

import (
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A toolUse is the use of a tool.
type toolUse struct {
	Name          string
	Calls, Errors int
	Bar           string // length of its bar
	ErrorRatio    string // errors per call; a dash if there are more errors than calls
	Mean          string // time from a call to its result; a dash if it is not known
}

// A toolSection shows the use of tools.
type toolSection struct {
	Top           *toolTable
	More          *toolTable // nil if there are no more
	AllModels     bool       // although a model is selected
	Calls, Errors int
	Toggle        toggle // of More
}

// MoreText returns the text of the link that opens More.
func (t *toolSection) MoreText() string {
	return format.Count(len(t.More.Uses), "more tool", "more tools")
}

// A toolTable lists the use of some tools.
type toolTable struct {
	Name     string
	Uses     []toolUse
	HasTimes bool
}

// topTools is the number of tools that are listed at first.
const topTools = 12

// newTools returns the use of tools, or nil if there was none.
func newTools(byTool *usage.Usage, s selection) *toolSection {
	names, totals := ranked(byTool, func(v *usage.Values) float64 { return float64(v[usage.ToolCalls]) })
	t := &toolSection{
		AllModels: s.selects(modelParameter), Calls: int(byTool.Total[usage.ToolCalls]), Errors: int(byTool.Total[usage.ToolErrors]),
	}
	if t.Calls == 0 {
		return nil
	}
	var uses []toolUse
	highest := totals[names[0]][usage.ToolCalls]
	for _, name := range names {
		v := totals[name]
		if v[usage.ToolCalls]+v[usage.ToolErrors] == 0 {
			continue
		}
		uses = append(uses, newToolUse(name, v, highest))
	}
	times := has(byTool, usage.ToolTime)
	first := min(len(uses), topTools)
	t.Top = &toolTable{"Tools", uses[:first], times}
	if first < len(uses) {
		t.More = &toolTable{"More tools", uses[first:], times}
	}
	return t
}

func newToolUse(name string, v *usage.Values, highest uint64) toolUse {
	calls, errors := v[usage.ToolCalls], v[usage.ToolErrors]
	use := toolUse{
		Name: name, Calls: int(calls), Errors: int(errors), ErrorRatio: "–", Mean: "–",
		Bar: percent(100 * float64(calls) / float64(max(1, highest))),
	}
	if ratio, ok := v.ToolErrorRatio(); ok {
		use.ErrorRatio = format.Percent(ratio)
	}
	if n := v[usage.ToolResults]; n > 0 {
		use.Mean = format.Seconds(v.In(usage.ToolTime) / float64(n))
	}
	return use
}
