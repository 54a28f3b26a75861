package corpus

import "strconv"

// A call is a tool call that was made, or is about to be.
type call struct {
	*tool
	scope
	fail *row
	line string // the uuid of the entry that it is in, if that came before the result
}

// callTools writes the calls of a response and their results. Usually every call has an
// entry of its own. Results may come before the next call, and a few before their own.
func (t *transcript) callTools(p plan, say func(func())) {
	if p.together {
		say(func() {
			for i, u := range p.tools {
				t.comma(i)
				t.waiting = append(t.waiting, t.newCall(u, p))
				t.call(t.waiting[i])
			}
		})
		t.results(t.waiting...)
		t.waiting = t.waiting[:0]
		return
	}
	for i, u := range p.tools {
		c := t.newCall(u, p)
		early := (p.early || u.Name == "Read" && t.version >= v(2, 1, 97) && t.chance(1)) && !t.provider.Constant
		if early {
			c.at = t.now
			t.results(c)
			t.now = c.at
		}
		say(func() { t.call(c) })
		c.line = t.parent
		if !early {
			t.waiting = append(t.waiting, c)
		}
		if i < len(p.tools)-1 && t.chance(30) && p.apart {
			t.answer()
		}
	}
	t.answer()
}

// newCall returns a call, and decides whether it will fail.
func (t *transcript) newCall(u *tool, p plan) *call {
	c := &call{tool: u, scope: scope{id: t.text(t.provider.Tool, nil)}, fail: p.fail}
	if c.fail == nil && !p.well && t.chance(5.9) {
		c.fail = draw(t.rng, t.Failures, t.version)
	}
	return c
}

// call writes the block of a call.
func (t *transcript) call(c *call) {
	c.at = t.now
	t.raw(`{"type":"tool_use","id":"`, c.id, `","name":`)
	t.b = strconv.AppendQuote(t.b, c.Name)
	t.raw(`,"input":{`)
	t.write(c.Input, &c.scope)
	t.raw(`}`)
	if t.version >= v(2, 1, 50) {
		t.raw(`,"caller":{"type":"direct"}`)
	}
	t.raw(`}`)
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
	t.raw(`{"tool_use_id":"`, c.id, `","type":"tool_result","content":`)
	before, template, after := `"`, c.Result, `"`
	switch {
	case c.fail != nil:
		template, after = c.fail.Text, `","is_error":true`
	case c.List:
		before, after = `[{"type":"text","text":"`, `"}]`
	case c.Name == "Bash":
		after = `","is_error":false`
	case c.Name == "Read" && t.chance(.3):
		t.raw(`[`)
		t.write(t.Templates["picture"], nil)
		t.raw(`]}`)
		return
	}
	t.raw(before)
	from := len(t.b)
	t.write(template, &c.scope)
	c.saved[savedText] = span{from, len(t.b)}
	t.raw(after, `}`)
}

// denials are the kinds of denial of a tool call, by the class of its failure.
var denials = map[string]string{"user_rejected": "user-rejected", "interrupted": "interrupted", "permission": "permission-rule", "hook": "permission-rule"}

// detail writes what Claude Code keeps of a result, which it mostly omits in the
// transcripts of sub-agents.
func (t *transcript) detail(c *call) {
	text := c.saved[savedText]
	defer t.decided(c)
	switch {
	case c.fail != nil:
		t.raw(`,"toolUseResult":"Error: `)
		t.again(text)
		t.raw(`"`)
		if kind := denials[c.fail.Class]; kind != "" && t.version >= v(2, 1, 240) {
			t.raw(`,"toolDenialKind":"`, kind, `"`)
			if kind == "user-rejected" && t.version >= v(2, 1, 295) {
				t.raw(`,"toolDenialBeforeRun":true`)
			}
		}
	case t.scope() != "main" && !t.chance(13) || text.to == 0:
	case c.Detail != nil:
		t.raw(`,"toolUseResult":{`)
		t.write(c.Detail, &c.scope)
		t.raw(`}`)
	case c.List:
		t.raw(`,"toolUseResult":[{"type":"text","text":"`)
		t.again(text)
		t.raw(`"}]`)
	}
}

// decided writes which entry has the call, and whether it was permitted.
func (t *transcript) decided(c *call) {
	if t.version >= v(2, 1, 331) && c.Name == "Bash" {
		t.raw(`,"sandboxed":false`)
	}
	if t.version >= v(2, 1, 260) && c.line != "" {
		t.named("source", c.line)()
	}
	switch {
	case t.version < v(2, 1, 295):
	case c.fail == nil || c.fail.Class == "exit_code":
		t.named("accepted", "")()
	default:
		t.write(c.fail.Keys, &c.scope)
	}
}

// toolProgress writes what is reported of a call until it is done.
func (t *transcript) toolProgress(c *call, done int64) {
	t.hooked("PreToolUse", c.id)
	for i := range c.Progress {
		r := &c.Progress[i]
		switch {
		case t.version < v(2, 1, 9) || t.version > v(2, 1, 71):
		case r.EachSecond:
			for second := 2; c.at+int64(second)*1000 < done && second < 16; second++ {
				t.now = max(t.now, c.at+int64(second)*1000)
				t.progress(r.Type, "bash-progress-0", func() { t.write(r.JSON, &scope{arg: strconv.Itoa(second)}) })
			}
		default:
			t.progress(r.Type, c.id, func() { t.write(r.JSON, &c.scope) })
			t.now = max(t.now, done)
		}
	}
	t.hooked("PostToolUse", c.id)
}

// hooked writes that a hook ran.
func (t *transcript) hooked(event, id string) {
	k := &scope{arg: event, id: id}
	switch {
	case !t.hooks:
	case t.version >= v(2, 1, 92):
		if t.chance(42) {
			success := func() { t.write(t.Templates["hook_success"], k) }
			t.entry(&scope{kind: "attachment", arg: "hook_success", body: success})
		}
	case t.version >= v(2, 1, 9) && t.version < v(2, 1, 87):
		t.progress("hook_progress", id, func() { t.write(t.Templates["hook_progress"], k) })
	}
}
