package corpus

// What the model gives to tools. Each writes the keys of an input.

var (
	commandSize = quantiles{4, 25, 40, 90, 220, 520, 800, 2000, 14000, 20000}
	editSize    = quantiles{10, 60, 130, 230, 520, 1250, 1900, 4600, 11000, 20000}
	writeSize   = quantiles{40, 300, 1000, 2800, 7000, 12500, 17500, 35000, 56000, 90000}
	taskSize    = quantiles{100, 250, 400, 800, 1600, 3000, 5500, 14000, 30000, 40000}
	fieldSize   = quantiles{8, 20, 30, 45, 60, 90, 110, 200, 600, 1000}
)

// field adds a key with a text for its value, and returns where the text is.
func (t *thread) field(key string, kind *text, size int) span {
	t.quote(key).raw(`:"`)
	from := len(t.b)
	t.b = kind.appendTo(t.b, t.dice, size)
	to := len(t.b)
	t.raw(`"`)
	return span{from, to}
}

func (t *thread) sized(key string, kind *text, size *quantiles) span {
	return t.field(key, kind, size.of(t.dice))
}

func bashInput(t *thread, _ *call) {
	kind := &t.texts.listing
	if t.chance(40) {
		kind = &t.texts.code
	}
	t.sized("command", kind, &commandSize)
	t.raw(`,`)
	t.sized("description", &t.texts.prose, &fieldSize)
	if t.chance(20) {
		t.raw(`,"timeout":`).num(t.between(1, 60) * 10000)
	}
}

// place draws the file that a call is about.
func (t *thread) place(c *call) {
	c.path = t.cwd + "/" + path(t.dice)
	t.raw(`"file_path":`).quote(c.path)
}

func readInput(t *thread, c *call) {
	t.place(c)
	if t.chance(30) {
		t.raw(`,"offset":`).num(t.between(1, 900)).raw(`,"limit":`).num(t.between(20, 300))
	}
}

func editInput(t *thread, c *call) {
	t.place(c)
	t.raw(`,`)
	c.old = t.sized("old_string", &t.texts.code, &editSize)
	t.raw(`,`)
	c.new = t.sized("new_string", &t.texts.code, &editSize)
	if t.version >= v(2, 0, 0) {
		t.raw(`,"replace_all":false`)
	}
}

func writeInput(t *thread, c *call) {
	t.place(c)
	t.raw(`,`)
	kind := &t.texts.code
	if t.chance(30) {
		kind = &t.texts.prose
	}
	c.new = t.sized("content", kind, &writeSize)
}

func grepInput(t *thread, _ *call) {
	t.sized("pattern", &t.texts.code, &fieldSize)
	t.raw(`,"path":`).quote(t.cwd).raw(`,"output_mode":"content","-n":true`)
}

func globInput(t *thread, _ *call) {
	t.raw(`"pattern":"**/*`).raw(pick(t.dice, endings)).raw(`","path":`).quote(t.cwd)
}

func todoInput(t *thread, c *call) {
	t.raw(`"todos":`)
	c.new.from = len(t.b)
	t.raw(`[`)
	for i := range t.between(3, 9) {
		if i > 0 {
			t.raw(`,`)
		}
		t.raw(`{`)
		t.sized("content", &t.texts.prose, &fieldSize)
		t.raw(`,"status":`).quote(pick(t.dice, []string{"pending", "in_progress", "completed"})).raw(`,`)
		t.sized("activeForm", &t.texts.prose, &fieldSize)
		t.raw(`}`)
	}
	t.raw(`]`)
	c.new.to = len(t.b)
}

func taskInput(t *thread, _ *call) {
	t.sized("subject", &t.texts.prose, &fieldSize)
	t.raw(`,`)
	t.sized("description", &t.texts.prose, &fieldSize)
}

func questionInput(t *thread, _ *call) {
	t.raw(`"questions":[{`)
	t.sized("question", &t.texts.prose, &fieldSize)
	t.raw(`,"header":"Choice","options":[{`)
	for i := range 3 {
		if i > 0 {
			t.raw(`},{`)
		}
		t.sized("label", &t.texts.prose, &fieldSize)
		t.raw(`,`)
		t.sized("description", &t.texts.prose, &fieldSize)
	}
	t.raw(`}],"multiSelect":false}]`)
}

func planInput(t *thread, c *call) { c.new = t.sized("plan", &t.texts.prose, &writeSize) }

func queryInput(t *thread, c *call) { c.new = t.sized("query", &t.texts.prose, &fieldSize) }

func agentInput(t *thread, c *call) {
	t.sized("description", &t.texts.prose, &fieldSize)
	t.raw(`,`)
	c.new = t.sized("prompt", &t.texts.prose, &taskSize)
	t.raw(`,"subagent_type":`).quote(pick(t.dice, agentTypes))
}

var agentTypes = []string{"Explore", "general-purpose", "Plan", "code-reviewer"}
