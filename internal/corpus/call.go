package corpus

// callEach writes every call in an entry of its own. Results may come before
// the next call, and a few are even written before their own.
func (t *thread) callEach(p plan, say func(write func())) {
	for i, u := range p.tools {
		c := t.newCall(u, p)
		early := p.early || u.name == "Read" && t.version >= v(2, 1, 97) && t.chance(1)
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
func (t *thread) callAll(p plan) {
	for i, u := range p.tools {
		if i > 0 {
			t.raw(`,`)
		}
		c := t.newCall(u, p)
		t.call(c)
		t.waiting = append(t.waiting, c)
	}
}

// newCall begins a call, and knows already whether it will fail.
func (t *thread) newCall(u *tool, p plan) *call {
	c := &call{tool: u, id: t.provider.tool(t.dice), fail: p.fail}
	if c.fail == nil && !p.well && t.chance(5.9) {
		c.fail = draw(t.dice, failures, weightOfFailure)
	}
	return c
}

// call writes the block of a call, and has it made.
func (t *thread) call(c *call) {
	c.at = t.now
	t.raw(`{"type":"tool_use","id":`).quote(c.id).raw(`,"name":`).str(c.name).raw(`,"input":{`)
	if c.input != nil {
		c.input(t, c)
	}
	t.raw(`}`)
	if t.version >= v(2, 1, 50) {
		t.raw(`,"caller":{"type":"direct"}`)
	}
	t.raw(`}`)
	t.books.call(c.name)
}

// answer writes the results that are still to come. A few never do.
func (t *thread) answer() {
	for _, c := range t.waiting {
		if !t.chance(.3) {
			t.results(c)
		}
	}
	t.waiting = t.waiting[:0]
}

// results waits for calls and writes their results, in one entry.
func (t *thread) results(calls ...*call) {
	for _, c := range calls {
		t.await(c)
	}
	t.spoke()
	t.begin()
	t.raw(`"type":"user",`)
	from := len(t.b) + len(`"message":`)
	t.raw(`"message":{"role":"user","content":[`)
	for i, c := range calls {
		if i > 0 {
			t.raw(`,`)
		}
		t.result(c)
	}
	t.raw(`]}`)
	t.open.message = span{from, len(t.b)}
	t.stamp()
	if len(calls) == 1 {
		t.details(calls[0])
		t.denial(calls[0])
	}
	t.end("user", "")
	for _, c := range calls {
		t.books.result(c.name, c.fail.reason(), t.since(c.at))
	}
	t.pass(t.between(1, 40))
}

// await lets time go by until a call is done. Clocks may jump back.
func (t *thread) await(c *call) {
	switch {
	case c.time == nil:
		if c.fail == nil {
			t.delegate(c)
		}
	case t.chance(.002):
		t.now = c.at - 3
	default:
		done := c.at + int64(c.time.of(t.dice))
		t.toolProgress(c, done)
		t.now = max(t.now, done)
	}
}

// result writes the block of a result.
func (t *thread) result(c *call) {
	t.raw(`{"tool_use_id":`).quote(c.id).raw(`,"type":"tool_result","content":`)
	switch {
	case c.fail != nil:
		t.failed(c.fail)
		t.raw(`,"is_error":true`)
	case c.name == "Read" && t.chance(.3):
		t.picture()
	default:
		t.content(c)
		if c.name == "Bash" {
			t.raw(`,"is_error":false`)
		}
	}
	t.raw(`}`)
}

// details writes what Claude Code keeps of a result, which it mostly does not
// in the files of sub-agents.
func (t *thread) details(c *call) {
	switch {
	case c.fail != nil:
		t.raw(`,"toolUseResult":`).str("Error: " + c.fail.text)
	case t.scope() != "main" && !t.chance(13):
	case c.detail != nil && c.text.to > 0:
		t.raw(`,"toolUseResult":{`)
		c.detail(t, c)
		t.raw(`}`)
	case c.listed:
		t.raw(`,"toolUseResult":[{"type":"text",`)
		t.copied("text", c.text).raw(`}]`)
	}
}

var pictureSize = quantiles{2000, 8000, 20000, 60000, 120000, 220000, 300000, 400000, 500000, 600000}

// picture writes the content of an image that was read.
func (t *thread) picture() {
	t.raw(`[{"type":"image","source":{"type":"base64","data":`).base64(t.texts, t.dice, pictureSize.of(t.dice))
	t.raw(`,"media_type":"image/png"}}]`)
}
