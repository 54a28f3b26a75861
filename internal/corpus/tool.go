package corpus

import "strconv"

// A call is a tool call that was made, or is about to be.
type call struct {
	*tool
	scope
	fail *row
}

// class returns the class of the failure of a call, if it fails.
func (c *call) class() string {
	if c.fail == nil {
		return ""
	}
	return c.fail.Class
}

// drawTool draws a tool that this transcript can use.
func (t *transcript) drawTool() *tool {
	for {
		if u := draw(t.rng, t.Tools, t.version); !u.MainOnly || t.scope() == "main" {
			return u
		}
	}
}

// callEach writes every call in an entry of its own. Results may come before the next
// call, and a few even before their own.
func (t *transcript) callEach(p plan, say func(func())) {
	for i, u := range p.tools {
		c := t.newCall(u, p)
		early := p.early || u.Name == "Read" && t.version >= v(2, 1, 97) && t.chance(1)
		if early {
			c.at = t.now
			t.results(c)
			t.now = c.at
		}
		say(func() { t.call(c) })
		if !early {
			t.waiting = append(t.waiting, c)
		}
		if i < len(p.tools)-1 && t.chance(30) {
			t.answer()
		}
	}
}

// callAll writes several calls in one entry.
func (t *transcript) callAll(p plan) {
	for i, u := range p.tools {
		t.comma(i)
		c := t.newCall(u, p)
		t.call(c)
		t.waiting = append(t.waiting, c)
	}
}

// newCall returns a call, and decides whether it will fail.
func (t *transcript) newCall(u *tool, p plan) *call {
	c := &call{tool: u, scope: scope{id: t.text(&t.provider.Tool)}, fail: p.fail}
	if c.fail == nil && !p.well && t.chance(5.9) {
		c.fail = draw(t.rng, t.Failures, t.version)
	}
	return c
}

// call writes the block of a call and counts it.
func (t *transcript) call(c *call) {
	c.at = t.now
	t.raw(`{"type":"tool_use","id":`).quote(c.id).raw(`,"name":"`)
	t.b = appendEscaped(t.b, c.Name, t.rng, 0)
	t.raw(`","input":{`)
	t.write(&c.Input, &c.scope).raw(`}`)
	if t.version >= v(2, 1, 50) {
		t.raw(`,"caller":{"type":"direct"}`)
	}
	t.raw(`}`)
	t.expected.call(c.Name)
}

// answer writes the results that are still missing. A few are never written.
func (t *transcript) answer() {
	for _, c := range t.waiting {
		if !t.chance(.3) {
			t.results(c)
		}
	}
	t.waiting = t.waiting[:0]
}

// results waits for calls and writes their results in one entry.
func (t *transcript) results(calls ...*call) {
	for _, c := range calls {
		t.await(c)
	}
	t.user(func() {
		t.raw(`[`)
		for i, c := range calls {
			t.comma(i)
			t.result(c)
		}
		t.raw(`]`)
	}, func() {
		if len(calls) == 1 {
			t.detail(calls[0])
		}
	})
	for _, c := range calls {
		t.expected.result(c.Name, c.class(), t.since(c.at))
	}
	t.pass(t.between(1, 40))
}

// await lets time go by until a call is done. Clocks may jump back.
func (t *transcript) await(c *call) {
	switch {
	case c.Time == "":
		if c.fail == nil {
			t.delegate(c)
		}
	case t.chance(.002):
		t.now = c.at - 3
	default:
		done := c.at + int64(t.drawSize(c.Time))
		t.toolProgress(c, done)
		t.now = max(t.now, done)
	}
}

// result writes the block of a result.
func (t *transcript) result(c *call) {
	t.raw(`{"tool_use_id":`).quote(c.id).raw(`,"type":"tool_result","content":`)
	if c.fail == nil && c.Name == "Read" && t.chance(.3) {
		t.raw(`[`)
		t.named("picture", "")()
		t.raw(`]}`)
		return
	}
	before, template, after := `"`, &c.Result, `"`
	switch {
	case c.fail != nil:
		template, after = &c.fail.Text, `","is_error":true`
	case c.List:
		before, after = `[{"type":"text","text":"`, `"}]`
	case c.Name == "Bash":
		after = `","is_error":false`
	}
	t.raw(before)
	from := len(t.b)
	t.write(template, &c.scope)
	c.saved[savedText] = span{from, len(t.b)}
	t.raw(after).raw(`}`)
}

// denials are the kinds of denial of a tool call, by the class of its failure.
var denials = map[string]string{"user_rejected": "user-rejected", "interrupted": "interrupted", "permission": "permission-rule"}

// detail writes what Claude Code keeps of a result, which it mostly omits in the
// transcripts of sub-agents.
func (t *transcript) detail(c *call) {
	text := c.saved[savedText]
	switch {
	case c.fail != nil:
		t.raw(`,"toolUseResult":"Error: `).again(text).raw(`"`)
		if kind := denials[c.fail.Class]; kind != "" && t.version >= v(2, 1, 240) {
			t.raw(`,"toolDenialKind":`).quote(kind)
		}
	case t.scope() != "main" && !t.chance(13) || text.to == 0:
	case c.Detail.source != "":
		t.raw(`,"toolUseResult":{`)
		t.write(&c.Detail, &c.scope).raw(`}`)
	case c.List:
		t.raw(`,"toolUseResult":[{"type":"text","text":"`).again(text).raw(`"}]`)
	}
}

// toolProgress writes what is reported of a call until it is done.
func (t *transcript) toolProgress(c *call, done int64) {
	t.hooked("PreToolUse", c.id)
	if t.version >= v(2, 1, 9) && t.version <= v(2, 1, 71) {
		for i := range c.Progress {
			r := &c.Progress[i]
			if !r.EachSecond {
				t.progress(r.Type, c.id, func() { t.write(&r.JSON, &c.scope) })
				t.now = max(t.now, done)
				continue
			}
			start := t.now
			for second := 2; c.at+int64(second)*1000 < done && second < 16; second++ {
				t.now = max(start, c.at+int64(second)*1000)
				t.progress(r.Type, "bash-progress-0", func() { t.write(&r.JSON, &scope{arg: strconv.Itoa(second)}) })
			}
		}
	}
	t.hooked("PostToolUse", c.id)
}

// hooked writes that a hook ran.
func (t *transcript) hooked(event, id string) {
	k := &scope{id: id, arg: event}
	switch {
	case !t.hooks:
	case t.version >= v(2, 1, 92):
		if t.chance(42) {
			t.entry("attachment", "hook_success", func() { t.write(t.Templates["hook_success"], k) }, nil)
		}
	case t.version >= v(2, 1, 9) && t.version < v(2, 1, 87):
		t.progress("hook_progress", id, func() { t.write(t.Templates["hook_progress"], k) })
	}
}

// patch writes the hunks of a change and counts its lines.
func (t *transcript) patch() {
	added, removed := 0, 0
	t.raw(`[`)
	for hunk := range 1 + t.between(0, 12)/12 {
		t.comma(hunk)
		start := t.between(1, 800)
		t.raw(`{"oldStart":`).num(start).raw(`,"oldLines":7,"newStart":`).num(start).raw(`,"newLines":9,"lines":[`)
		for i := range t.drawSize("hunk") + 1 {
			t.comma(i)
			sign := pick(t.rng, " ", " ", "+", "+", "-")
			switch sign {
			case "+":
				added++
			case "-":
				removed++
			}
			t.raw(`"`).raw(sign).raw(string(t.texts.kinds["code"].line(t.rng))).raw(`"`)
		}
		t.raw(`]}`)
	}
	t.raw(`]`)
	t.linesChanged(added, removed)
}

func (t *transcript) linesChanged(added, removed int) {
	t.expected.add("code_lines", "op=added", added)
	t.expected.add("code_lines", "op=removed", removed)
}
