package corpus

// The versions from which on transcripts contain the requests, and copies of a fork
// name the session that made them.
var (
	requestsSince = v(2, 1, 300)
	copiesSince   = v(2, 1, 326)
)

// contextMessage is the beginning of a message of a user, up to its content.
const contextMessage = `{"role":"user","content":`

// A requestLog is what a transcript states about its requests. They are 97 % of the
// bytes of a short session.
type requestLog struct {
	opened   bool   // the openings are written
	snapshot bool   // so are the entries after the first response
	shape    string // the hash of the system prompt and the tools, once they are written
	base     string // the id of the request before
	kept     int    // number of its messages
	seen     int    // number of records that requests contain
}

// continues returns the log of a transcript that begins with a copy of this one: it has
// its attachments, but no request of its own.
func (l *requestLog) continues(records int) requestLog {
	return requestLog{opened: l.opened, snapshot: l.snapshot, seen: records}
}

// request writes what precedes a response: attachments before the first one, and in
// later versions the request. It returns the id that the lines of the response refer
// to.
func (t *transcript) request() (id string) {
	if !t.requests.opened {
		t.requests.opened = true
		t.rows(t.Openings)
	}
	if t.version < requestsSince {
		return ""
	}
	if t.requests.shape == "" {
		t.requests.shape = t.hex(64)
		t.note("api-request-shape", t.named("request_shape", t.requests.shape))
	}
	hash := t.hex(64)
	t.blob(hash)
	k := &scope{id: hash, message: &message{model: t.model}}
	for again := true; again; again = t.chance(1) { // one line an attempt
		k.arg = t.uuid()
		t.note("api-request", func() { t.write(t.Templates["request"], k) })
	}
	if t.requests.base != "" {
		t.requests.kept++ // the response
	}
	t.requests.kept++
	t.requests.base = k.arg
	return k.arg
}

// blob writes the message of a request: the user entries since the one before. That of
// the first request has the context, too.
func (t *transcript) blob(hash string) {
	var parts []span
	for _, r := range t.records[t.requests.seen:] {
		if r.kind == "user" && r.message.to > 0 {
			parts = append(parts, r.message)
		}
	}
	t.requests.seen = len(t.records)
	if len(parts) == 0 && t.requests.base != "" {
		return
	}
	body := func() {
		if t.requests.base == "" {
			t.named("request_context", "")()
		}
		for i, part := range parts {
			if i > 0 || t.requests.base == "" {
				t.raw(`,`)
			}
			t.blocks(span{part.from + len(contextMessage), part.to - 1})
		}
	}
	t.note("api-request-blob", func() { t.write(t.Templates["request_blob"], &scope{arg: hash, body: body}) })
}

// blocks repeats the content of a message, without the brackets of a list.
func (t *transcript) blocks(content span) {
	if t.b[content.from] == '[' {
		t.again(span{content.from + 1, content.to - 1})
		return
	}
	t.raw(`{"type":"text","text":`)
	t.again(content)
	t.raw(`}`)
}

// responded writes what follows the first response.
func (t *transcript) responded() {
	if !t.requests.snapshot {
		t.requests.snapshot = true
		t.rows(t.Afterwards)
	}
}

// rows writes the rows of a table that the version has.
func (t *transcript) rows(rows []row) {
	for i := range rows {
		if r := &rows[i]; r.in(t.version) {
			t.writeRow(r)
		}
	}
}

// cutOff has a response that breaks off within a text: a stop reason that the API did
// not send, and no count of the output. Claude Code asks for the rest.
func (s *session) cutOff() {
	m := s.response("end_turn", func(m *message) { m.stream, m.cut, m.usage[output], m.usage[thinking] = allFinal, true, 1, 0 })
	s.say(m, true, s.named("cut_text", ""))
	s.pass(s.between(100, 900))
	s.user(s.named("resumed", ""), func() { s.raw(`,"isMeta":true,"turnCompanion":true,"ownNote":true`) })
	s.conclude()
}
