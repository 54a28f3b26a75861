package corpus

// A thread is a conversation with a model: that of a session, or a sub-agent's.
type thread struct {
	*file
	home    *session
	model   string
	streams []share
	context int // tokens that the next request sends
	waiting []*call
	// failNext is how the next result fails.
	failNext *failure
}

// A plan says of which blocks a response is made.
type plan struct{ weight, thinking, text, tools int }

// plans were found with these shares.
var plans = []plan{
	{230, 0, 0, 1},
	{207, 0, 1, 1},
	{172, 1, 0, 1},
	{97, 1, 1, 1},
	{42, 0, 1, 2},
	{30, 0, 1, 4},
	{35, 0, 1, 3},
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

var closings = []plan{{77, 0, 1, 0}, {30, 1, 1, 0}}

func weightOfPlan(p *plan) int { return p.weight }

// work has the model call tools, and the tools answer.
func (t *thread) work() {
	t.respond(*draw(t.dice, plans, weightOfPlan), nil)
}

// close has the model end its turn.
func (t *thread) close() {
	t.respond(*draw(t.dice, closings, weightOfPlan), nil)
}

var (
	thinkingTime = quantiles{300, 900, 1500, 2600, 5000, 11000, 20000, 60000, 180000, 600000}
	blockTime    = quantiles{1, 40, 200, 700, 1800, 4000, 8000, 20000, 60000, 300000}
)

// respond writes one response and the results of its calls. The tools are
// those given, or drawn.
func (t *thread) respond(p plan, tools []*tool) {
	t.pass(thinkingTime.of(t.dice))
	t.clear = !t.side || t.agent != ""
	for len(tools) < p.tools {
		tools = append(tools, t.drawTool())
	}
	stop := "end_turn"
	if len(tools) > 0 {
		stop = "tool_use"
	} else if t.chance(.05) {
		stop = "max_tokens"
	}
	m := t.response(stop, nil)
	left := p.thinking + p.text + len(tools)
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
	if len(tools) > 1 && t.chance(.1) {
		left = 1
		say(func() { t.callAll(tools) })
	} else {
		t.callEach(tools, say)
	}
	t.answer()
}

var (
	thoughtSize   = quantiles{2, 2, 2, 52, 260, 700, 1200, 2600, 8000, 20000}
	signatureSize = quantiles{200, 316, 404, 704, 1624, 3884, 6156, 14988, 38168, 60000}
	wordsSize     = quantiles{4, 50, 78, 150, 420, 2200, 4600, 18000, 42000, 80000}
)

func (t *thread) thought() {
	t.raw(`{"type":"thinking","thinking":`)
	if size := thoughtSize.of(t.dice); size > 2 {
		t.text(&t.texts.prose, t.dice, size)
	} else {
		t.raw(`""`)
	}
	t.raw(`,"signature":`).base64(t.texts, t.dice, signatureSize.of(t.dice)).raw(`}`)
}

func (t *thread) words() {
	kind := &t.texts.prose
	if t.chance(8) {
		kind = &t.texts.world
	}
	t.raw(`{"type":"text","text":`).text(kind, t.dice, wordsSize.of(t.dice)).raw(`}`)
}
