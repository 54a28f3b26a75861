package corpus

import "cmp"

// A usage holds the counts that one record of a message reports. What was written to
// the cache is partly stated by lifetime, and thinking is part of the output.
type usage [len(usageNames)]int

const (
	input = iota
	output
	read
	written
	thinking
	searches // of tools of the server
	fetches
	written5m
	written1h
)

var usageNames = [...]string{
	"input_tokens", "output_tokens", "read", "written", "thinking", "searches", "fetches", "written5m", "written1h",
}

// add adds other counts, or subtracts them if sign is -1.
func (u *usage) add(o *usage, sign int) {
	for i, n := range o {
		u[i] += sign * n
	}
}

// An iteration is a request that was made for a response and that its counts do not
// include: to an advisor, to compact the context on the server, or one that was given
// up.
type iteration struct {
	kind  string
	model string // empty: that of the message, and not written
	usage usage
}

// unknownIteration is a type of iteration that no version has.
const unknownIteration = "future_message"

// counted returns whether the tokens of the iteration count.
func (it *iteration) counted() bool { return it.kind == "advisor_message" || it.kind == "compaction" }

// A message is one response of the API, written as several entries.
type message struct {
	id, request string
	ref         string // the id of its api-request line, if the version writes that
	model       string
	stop        string
	usage       usage // of the record that counts
	iterations  []iteration
	placeholder int // the output tokens that the stream began with
	estimate    int // the input tokens that a gateway began with
	stream      string
	nested      bool // cache writes are only stated by lifetime, without their sum
	improved    bool // a copy has a better count
	cut         bool // its stream broke off
	block       int  // the number of its next block
	fast, us    bool
	at          int64 // when it was sent, in milliseconds since the epoch
	requestAttributes

	agent   string   // the type of sub-agent, if its entries state it
	purpose *purpose // may be nil
}

// scope returns what an entry of the message reports.
func (m *message) scope(last bool) *scope {
	k, u := &scope{kind: "assistant", message: m}, m.usage
	k.usage = &u
	switch last = last || m.stream == allFinal; {
	case last:
	case m.stream == zeroFirst:
		u, k.bare = usage{}, true
	case m.stream == estimateFirst:
		u = usage{input: m.estimate, output: min(1, m.placeholder)}
	case m.stream == growing || m.stream == lastFinal:
		u[output] = m.placeholder
	}
	if last && m.final() {
		k.stop = m.stop
	}
	return k
}

// final returns whether the record that counts has a stop reason.
func (m *message) final() bool {
	return m.stream != placeholders && m.stream != unstopped && m.stream != growing
}

// response draws what a response costs, and counts it. more changes it before.
func (t *transcript) response(stop string, more func(*message)) *message {
	t.separate()
	ref := t.request()
	m := &message{id: t.text(t.provider.Message, nil), ref: ref, model: t.model, stop: stop, placeholder: t.between(1, 8)}
	if t.provider.Request {
		m.request = "req_01" + t.digits(base62Digits, 22)
	}
	streams := t.streams
	if t.provider.Streams != nil {
		streams = t.provider.Streams
	}
	m.stream = draw(t.rng, streams, t.version).Stream
	u := &m.usage
	u[input], u[output], u[read] = t.between(1, 12), t.drawSize("output_tokens"), t.context
	if t.provider.gateway() && t.chance(50) {
		u[input], u[read] = t.context, 0 // there is no cache, or the gateway does not report it
	}
	m.estimate = u[input] + t.between(1000, 12000)
	u[written] = t.drawSize("fresh_tokens")
	switch {
	case t.version < v(2, 0, 0) || t.provider.gateway() && t.chance(20): // without a lifetime
	case t.version >= v(2, 1, 30) && t.agent == "":
		u[written1h] = u[written]
	default:
		u[written5m] = u[written]
	}
	t.context += u[written] + u[output]
	if m.stream == placeholders {
		u[output] = m.placeholder
	}
	if t.version >= v(2, 1, 220) {
		u[thinking] = t.between(0, u[output])
	}
	m.nested = t.version > v(2, 1, 97) && t.version < v(2, 1, 152) && u[written] == u[written5m]+u[written1h] && t.chance(.3)
	m.at = t.tempo.at(t.now)
	m.drawSpeed(t.version)
	t.drawAttributes(m)
	t.attribute(m)
	if more != nil {
		more(m)
	}
	t.count(m, 1)
	return m
}

// count counts a message, or takes it back if sign is -1.
func (t *transcript) count(m *message, sign int) {
	t.spend(m.model, &m.usage, sign)
	for _, it := range m.iterations {
		if it.counted() {
			t.spend(cmp.Or(it.model, m.model), &it.usage, sign)
		}
	}
}

// spend counts tokens, or takes them back if sign is -1.
func (t *transcript) spend(model string, u *usage, sign int) {
	t.written.Tokens.add(u, sign)
	if t.session.reports {
		t.session.report(model, u, sign)
	}
}

// say writes one entry of a message; blocks writes its content.
func (t *transcript) say(m *message, last bool, blocks func()) {
	k := m.scope(last)
	k.body = blocks
	k.tail = func() {
		t.attribution(m)
		if t.version >= v(2, 1, 240) {
			t.named("recent_keys", "")()
		}
	}
	t.entry(k)
	m.block++
}

// outcome returns the stop reason and the usage as the last entry of a message has
// them.
func (t *transcript) outcome(m *message) string { return t.text(t.Templates["outcome"], m.scope(true)) }

// A plan says what happens with a response and its calls. The rest is random.
type plan struct {
	shape
	tools    []*tool // to be called
	together bool    // all calls are in one entry, and all results
	early    bool    // results come before their calls
	apart    bool    // results come between the calls, too
	fail     *row    // how the calls fail
	well     bool    // no call fails
}

// work has the model call tools, and writes their results.
func (t *transcript) work() { t.respond(plan{shape: *draw(t.rng, t.Responses, t.version)}) }

// conclude has the model end its turn.
func (t *transcript) conclude() { t.respond(plan{shape: *draw(t.rng, t.Closings, t.version)}) }

// respond writes one response and the results of its calls.
func (t *transcript) respond(p plan) {
	t.pass(t.drawSize("thinking_time"))
	t.clear = !t.side || t.agent != ""
	for len(p.tools) < p.Calls {
		if u := draw(t.rng, t.Tools, t.version); !u.MainOnly || t.scope() == "main" {
			p.tools = append(p.tools, u)
		}
	}
	stop := "end_turn"
	if len(p.tools) > 0 {
		stop = "tool_use"
	} else if t.chance(.05) {
		stop = "max_tokens"
	}
	m := t.response(stop, nil)
	p.apart = !t.provider.Constant || m.stream == allFinal || t.version >= requestsSince
	left := p.Thinking + p.Text + len(p.tools)
	if p.together {
		left = p.Thinking + p.Text + 1
	}
	say := func(blocks func()) {
		left--
		t.say(m, left == 0, blocks)
		t.pass(t.drawSize("block_time"))
	}
	for range p.Thinking {
		say(t.named("thinking", ""))
	}
	for range p.Text {
		say(t.named("text", ""))
	}
	t.callTools(p, say)
	t.responded()
}
