package corpus

// What tools give back: the content that the model reads, and the detail that
// Claude Code keeps beside it, which is mostly a second copy.

var (
	fileSize = quantiles{20, 700, 2400, 5600, 10000, 23000, 33000, 77000, 90000, 120000}
	hunkSize = quantiles{2, 7, 8, 11, 21, 43, 66, 169, 409, 700}
)

// content writes the content of a result and notes where its text is.
func (t *thread) content(c *call) {
	if c.listed {
		t.raw(`[{"type":"text","text":"`)
		defer t.raw(`"}]`)
	} else {
		t.raw(`"`)
		defer t.raw(`"`)
	}
	c.text.from = len(t.b)
	switch {
	case c.content != nil:
		c.content(t, c)
	case c.kind != nil:
		t.b = c.kind(t.texts).appendTo(t.b, t.dice, c.size.of(t.dice))
	default:
		t.b = t.texts.prose.appendTo(t.b, t.dice, c.size.of(t.dice))
	}
	c.text.to = len(t.b)
}

// copied adds a key with the text of the result.
func (t *thread) copied(key string, s span) *out {
	return t.quote(key).raw(`:"`).again(s).raw(`"`)
}

func textDetail(t *thread, c *call) { t.copied("result", c.text) }

func statusDetail(t *thread, _ *call) {
	t.raw(`"success":true,"taskId":"`).num(t.between(1, 40)).raw(`","updatedFields":["status"]`)
}

func bashDetail(t *thread, c *call) {
	t.copied("stdout", c.text).raw(`,"stderr":"","interrupted":false,"isImage":false`)
	if t.version >= v(2, 1, 40) {
		t.raw(`,"noOutputExpected":false`)
	}
	if t.chance(2) {
		t.raw(`,"backgroundTaskId":`).quote(t.hex(7))
	}
}

func readDetail(t *thread, c *call) {
	n := c.text.to - c.text.from
	t.raw(`"type":"text","file":{"filePath":`).quote(c.path).raw(`,`)
	t.field("content", &t.texts.code, n*9/10)
	t.raw(`,"numLines":`).num(n / 40).raw(`,"startLine":1,"totalLines":`).num(n / 30).raw(`}`)
}

func editContent(t *thread, c *call) {
	t.raw("The file ").raw(c.path).raw(" has been updated successfully.")
}

func editDetail(t *thread, c *call) {
	t.raw(`"filePath":`).quote(c.path).raw(`,`)
	t.copied("oldString", c.old).raw(`,`)
	t.copied("newString", c.new).raw(`,`)
	if t.chance(85) {
		t.sized("originalFile", &t.texts.code, &fileSize)
	} else {
		t.raw(`"originalFile":null`)
	}
	t.raw(`,"structuredPatch":`)
	t.patch()
	t.raw(`,"userModified":false,"replaceAll":false`)
}

// patch writes the hunks of a change and enters it.
func (t *thread) patch() {
	added, removed := 0, 0
	t.raw(`[`)
	for hunk := range 1 + t.between(0, 12)/12 {
		if hunk > 0 {
			t.raw(`,`)
		}
		start := t.between(1, 800)
		t.raw(`{"oldStart":`).num(start).raw(`,"oldLines":7,"newStart":`).num(start).raw(`,"newLines":9,"lines":[`)
		for i := range hunkSize.of(t.dice) + 1 {
			if i > 0 {
				t.raw(`,`)
			}
			sign := pick(t.dice, []string{" ", " ", "+", "+", "-"})
			switch sign {
			case "+":
				added++
			case "-":
				removed++
			}
			t.raw(`"`).raw(sign).bytes(t.texts.code.line(t.dice)).raw(`"`)
		}
		t.raw(`]}`)
	}
	t.raw(`]`)
	t.books.linesChanged(added, removed)
}

func writeContent(t *thread, c *call) {
	t.raw("File created successfully at: ").raw(c.path)
}

// writeDetail is of a new file, all of whose lines are added, or of one that
// was overwritten.
func writeDetail(t *thread, c *call) {
	created := t.chance(80)
	if created {
		t.raw(`"type":"create"`)
	} else {
		t.raw(`"type":"update"`)
	}
	t.raw(`,"filePath":`).quote(c.path).raw(`,`)
	t.copied("content", c.new).raw(`,"structuredPatch":`)
	if created {
		t.raw(`[],"originalFile":null`)
		t.books.linesChanged(escapedLines(t.b[c.new.from:c.new.to]), 0)
		return
	}
	t.patch()
	t.raw(`,`)
	t.sized("originalFile", &t.texts.code, &fileSize)
}

func grepDetail(t *thread, c *call) {
	t.raw(`"mode":"content","numFiles":0,"filenames":[],`)
	t.copied("content", c.text).raw(`,"numLines":`).num((c.text.to - c.text.from) / 60)
}

func globDetail(t *thread, c *call) {
	t.raw(`"filenames":[`)
	n := (c.text.to - c.text.from) / 40
	for i := range n {
		if i > 0 {
			t.raw(`,`)
		}
		t.quote(path(t.dice))
	}
	t.raw(`],"durationMs":`).num(t.between(3, 900)).raw(`,"numFiles":`).num(n).raw(`,"truncated":false`)
}

func todoDetail(t *thread, c *call) {
	t.raw(`"oldTodos":`).again(c.new).raw(`,"newTodos":`).again(c.new)
}

func planDetail(t *thread, c *call) {
	t.copied("plan", c.new).raw(`,"isAgent":false,"filePath":`).quote(path(t.dice))
}

func fetchDetail(t *thread, c *call) {
	t.raw(`"bytes":`).num(c.text.to - c.text.from).raw(`,"code":200,"codeText":"OK",`)
	t.copied("result", c.text).raw(`,"durationMs":`).num(t.between(200, 9000)).raw(`,"url":"https://example.com/docs"`)
}

func searchDetail(t *thread, c *call) {
	t.copied("query", c.new).raw(`,"results":[`)
	t.raw(`{"tool_use_id":"srvtoolu_`).raw(t.hex(20)).raw(`","content":[{"title":"Example","url":"https://example.com"}]},`)
	t.raw(`"`).again(c.text).raw(`"],"durationSeconds":`).num(t.between(2, 40)).raw(`.25`)
}
