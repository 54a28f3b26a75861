package corpus

// A message is one response of the API, which is written as several entries.
type message struct {
	id, request string
	model       string
	stop        string
	usage       usage // of the record that counts
	placeholder int   // output tokens that the stream began with
	estimate    int   // of the input, by a gateway
	stream      stream
	nested      bool
	improved    bool // a copy has a better number
}

// record returns what one of a message's entries says, and how.
func (m *message) record(last bool) (u usage, stopped bool, as form) {
	u, as = m.usage, form{nested: m.nested}
	switch m.stream {
	case unstopped, placeholders:
		return u, false, as
	case allFinal:
		return u, true, as
	case growing:
		if !last {
			u.output = m.placeholder
		}
		return u, false, as
	case zeroFirst:
		if !last {
			return usage{}, false, form{bare: true}
		}
	case estimateFirst:
		if !last {
			return usage{input: m.estimate, output: min(1, m.placeholder)}, false, as
		}
	case lastFinal:
		if !last {
			u.output = m.placeholder
		}
	}
	return u, last, as
}

// final reports whether the record that counts has a stop reason.
func (m *message) final() bool {
	return m.stream != placeholders && m.stream != unstopped && m.stream != growing
}

var outputTokens = quantiles{9, 60, 100, 170, 340, 900, 1800, 6000, 16000, 32000}

var freshTokens = quantiles{20, 90, 180, 420, 1300, 3800, 8000, 22000, 60000, 120000}

// response draws what a response costs, and enters it. more adds to that.
func (t *thread) response(stop string, more func(*usage)) *message {
	m := &message{id: t.provider.message(t.dice), model: t.model, stop: stop, placeholder: t.between(1, 8)}
	if t.provider.request {
		m.request = t.digits("req_01", base62Digits, 22)
	}
	shares := t.streams
	if t.provider.streams != nil {
		shares = t.provider.streams
	}
	m.stream = draw(t.dice, shares, percentOf).stream
	u := &m.usage
	u.input, u.output, u.read = t.between(1, 12), outputTokens.of(t.dice), t.context
	if t.provider.models != nil && t.chance(50) {
		u.input, u.read = t.context, 0 // there is no cache, or nothing is said of it
	}
	m.estimate = u.input + t.between(1000, 12000)
	t.write(u, freshTokens.of(t.dice))
	t.context += u.written5m + u.written1h + u.written + u.output
	if m.stream == placeholders {
		u.output = m.placeholder
	}
	if t.version >= v(2, 1, 220) {
		u.thinking = t.between(0, u.output)
	}
	m.nested = t.version > v(2, 1, 97) && t.version < v(2, 1, 152) && u.written == 0 && t.chance(.3)
	if more != nil {
		more(u)
	}
	t.enter(m, 1)
	return m
}

// enter enters a message, or with sign -1 takes it back.
func (t *thread) enter(m *message, sign int) {
	t.books.message(m.model, &m.usage, m.final(), sign)
	if t.home.reports {
		t.books.reportedSeen(&m.usage, sign)
		t.home.spend(m.model, &m.usage, sign)
	}
}

// write has a response put tokens into the cache.
func (t *thread) write(u *usage, tokens int) {
	switch {
	case t.version < v(2, 0, 0) || t.provider.models != nil && t.chance(20):
		u.written = tokens
	case t.version >= v(2, 1, 30) && t.agent == "":
		u.written1h = tokens
	default:
		u.written5m = tokens
	}
}

// say writes one entry of a message; last says that no other follows. write
// adds the blocks of its content.
func (t *thread) say(m *message, last bool, write func()) {
	t.spoke()
	t.begin()
	from := len(t.b) + len(`"message":`)
	own := t.provider.models == nil // gateways have their own order of keys
	t.raw(`"message":{`)
	if own {
		t.raw(`"model":`).quote(m.model).raw(`,`)
	}
	t.raw(`"id":`).quote(m.id).raw(`,"type":"message","role":"assistant","content":[`)
	write()
	t.raw(`]`)
	if !own {
		t.raw(`,"model":`).quote(m.model)
	}
	outcome := len(t.b)
	t.outcome(m, last)
	t.open.outcome, t.open.said = span{outcome, len(t.b)}, m
	t.raw(`}`)
	t.open.message = span{from, len(t.b)}
	if m.request != "" {
		t.raw(`,"requestId":`).quote(m.request)
	}
	t.raw(`,"type":"assistant"`)
	t.stamp()
	t.recentAssistantKeys()
	t.end("assistant", "")
}

// outcome writes how a message ended and what it cost, as far as this one of
// its entries knows.
func (f *file) outcome(m *message, last bool) {
	u, stopped, as := m.record(last)
	f.raw(`,"stop_reason":`)
	if stopped {
		f.quote(m.stop)
	} else {
		f.raw(`null`)
	}
	f.raw(`,"stop_sequence":null,"usage":`)
	f.usage(&u, as)
}
