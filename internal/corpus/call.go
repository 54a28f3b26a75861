package corpus

// callEach writes every call in an entry of its own. Results may come before
// the next call, and a few are even written before their own.
func (t *thread) callEach(tools []*tool, say func(write func())) {
	for i, u := range tools {
		c := t.newCall(u)
		early := u.name == "Read" && t.version >= v(2, 1, 97) && t.chance(1)
		if early {
			c.at = t.now
			t.result(c)
			t.now = c.at
		}
		say(func() { t.call(c) })
		if !early {
			t.waiting = append(t.waiting, c)
		}
		if i < len(tools)-1 && t.chance(30) {
			t.answer()
		}
	}
}

// callAll writes several calls in one entry.
func (t *thread) callAll(tools []*tool) {
	for i, u := range tools {
		if i > 0 {
			t.raw(`,`)
		}
		c := t.newCall(u)
		t.call(c)
		t.waiting = append(t.waiting, c)
	}
}

func (t *thread) newCall(u *tool) *call {
	return &call{tool: u, id: t.provider.tool(t.dice)}
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
			t.result(c)
		}
	}
	t.waiting = t.waiting[:0]
}

// result writes the result of a call when the tool is done.
func (t *thread) result(c *call) {
	fail := t.failure()
	if c.name == "Task" || c.name == "Agent" {
		if fail == nil {
			t.delegate(c)
		}
	} else {
		t.now = max(t.now, t.after(c))
	}
	t.begin()
	t.raw(`"type":"user",`)
	from := len(t.b) + len(`"message":`)
	t.raw(`"message":{"role":"user","content":[{"tool_use_id":`).quote(c.id).raw(`,"type":"tool_result","content":`)
	switch {
	case fail != nil:
		t.failed(c, fail)
	case c.name == "Read" && t.chance(.5):
		t.picture()
		t.raw(`}]}`)
	default:
		t.content(c)
		if c.name == "Bash" {
			t.raw(`,"is_error":false`)
		}
		t.raw(`}]}`)
	}
	t.open.message = span{from, len(t.b)}
	t.stamp()
	t.details(c, fail)
	t.end("user", "")
	class := ""
	if fail != nil {
		class = fail.class
	}
	t.books.result(c.name, class, int(t.now-c.at))
	t.pass(t.between(1, 40))
}

// after is when a call has its result; clocks may jump, so it can be before it.
func (t *thread) after(c *call) int64 {
	if t.chance(.002) {
		t.now = c.at - 3
		return t.now
	}
	done := c.at + int64(c.time.of(t.dice))
	t.toolProgress(c, done)
	return done
}

// details writes what Claude Code keeps of a result, which it mostly does not
// in the files of sub-agents.
func (t *thread) details(c *call, fail *failure) {
	switch {
	case fail != nil:
		t.raw(`,"toolUseResult":`).str("Error: " + fail.text)
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
