package corpus

// A thread is a conversation with a model: that of a session, or a sub-agent's.
type thread struct {
	*file
	home    *session
	model   string
	streams []share
	context int     // tokens that the next request sends
	waiting []*call // calls whose results are still to come
}

// A shape says of how many blocks of each kind a response is made.
type shape struct{ weight, thinking, text, calls int }

// shapes and closings were found as often as they weigh; closings end a turn.
var (
	shapes = []shape{
		{230, 0, 0, 1},
		{207, 0, 1, 1},
		{172, 1, 0, 1},
		{97, 1, 1, 1},
		{42, 0, 1, 2},
		{35, 0, 1, 3},
		{30, 0, 1, 4},
		{19, 0, 0, 2},
		{13, 1, 0, 2},
		{10, 1, 1, 2},
		{8, 0, 1, 6},
		{7, 0, 0, 4},
		{7, 0, 0, 3},
		{4, 1, 0, 3},
		{3, 1, 1, 3},
		{2, 1, 2, 2},
	}
	closings = []shape{{77, 0, 1, 0}, {30, 1, 1, 0}}
)

func weightOfShape(s *shape) int { return s.weight }

// A plan says what is to happen with a response and its calls. What it does not
// say is left to chance.
type plan struct {
	shape
	tools    []*tool  // that are called
	together bool     // all calls stand in one entry, and all results
	early    bool     // results stand before their calls
	fail     *failure // of the calls
	well     bool     // no call fails
}

// work has the model call tools, and the tools answer.
func (t *thread) work() { t.respond(plan{shape: *draw(t.dice, shapes, weightOfShape)}) }

// conclude has the model end its turn.
func (t *thread) conclude() { t.respond(plan{shape: *draw(t.dice, closings, weightOfShape)}) }

var (
	thinkingTime = quantiles{300, 900, 1500, 2600, 5000, 11000, 20000, 60000, 180000, 600000}
	blockTime    = quantiles{1, 40, 200, 700, 1800, 4000, 8000, 20000, 60000, 300000}
)

// respond writes one response and the results of its calls.
func (t *thread) respond(p plan) {
	t.pass(thinkingTime.of(t.dice))
	t.clear = !t.side || t.agent != ""
	for len(p.tools) < p.calls {
		p.tools = append(p.tools, t.drawTool())
	}
	m := t.response(t.stop(p), nil)
	left := p.thinking + p.text + len(p.tools)
	say := func(write func()) {
		left--
		t.say(m, left == 0, write)
		t.pass(blockTime.of(t.dice))
	}
	for range p.thinking {
		say(t.thought)
	}
	for range p.text {
		say(t.words)
	}
	if p.together {
		left = 1
		say(func() { t.callAll(p) })
		t.results(t.waiting...)
		t.waiting = t.waiting[:0]
		return
	}
	t.callEach(p, say)
	t.answer()
}

// stop is why a response ends.
func (t *thread) stop(p plan) string {
	switch {
	case len(p.tools) > 0:
		return "tool_use"
	case t.chance(.05):
		return "max_tokens"
	}
	return "end_turn"
}

var (
	thoughtSize   = quantiles{2, 2, 2, 52, 260, 700, 1200, 2600, 8000, 20000}
	signatureSize = quantiles{200, 300, 380, 640, 1400, 3300, 5200, 12500, 32000, 50000}
	wordsSize     = quantiles{4, 50, 78, 135, 375, 2000, 4200, 16800, 39700, 60000}
)

// thought writes a block of thinking. Its text is mostly left out.
func (t *thread) thought() {
	t.raw(`{"type":"thinking","thinking":`)
	if size := thoughtSize.of(t.dice); size > 2 {
		t.text(&t.texts.prose, t.dice, size)
	} else {
		t.raw(`""`)
	}
	t.raw(`,"signature":`).base64(t.texts, t.dice, signatureSize.of(t.dice)).raw(`}`)
}

// words writes a block of text.
func (t *thread) words() {
	kind := &t.texts.prose
	if t.chance(8) {
		kind = &t.texts.world
	}
	t.raw(`{"type":"text","text":`).text(kind, t.dice, wordsSize.of(t.dice)).raw(`}`)
}
