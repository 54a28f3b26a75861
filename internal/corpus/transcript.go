package corpus

// settings are the same in all entries of a session.
type settings struct {
	version     version
	versionText string
	sessionID   string
	cwd         string // escaped
	branch      string
	slug        string // empty in versions that have none
	entrypoint  string
	provider    *provider
	hooks       bool // the user has hooks, and they are logged
	background  bool // it has no terminal
}

// A transcript is a file that is being written: the conversation of a session or of a
// sub-agent with a model.
type transcript struct {
	*generator
	*settings
	buffer
	session *session

	path    string
	agent   string // the id of the sub-agent; empty in the transcript of a session
	side    bool   // entries belong to a side chain
	now     int64  // the time of the next entry, in milliseconds since the epoch
	last    int64  // the time of the last entry that has one
	parent  string // the uuid of the last entry, if any
	clear   bool   // see record
	open    record
	records []record
	latest  queueKey // of the last queue operation
	ragged  int      // number of records when the last one shared its line

	model    string
	streams  []share
	context  int     // tokens that the next request sends
	previous int     // tokens before the last compaction
	waiting  []*call // calls without a result yet
}

// A record locates an entry and holds what copies of it need.
type record struct {
	kind, subtype string
	unknown       string // the kind of unknown format that ccwatchd reports
	from, to      int    // without the line end
	at            int64  // when it was written
	uuid, parent  string
	message       span     // of assistant and user entries
	said          *message // of assistant entries
	clear         bool     // no message or call before it continues after it
	unique        bool     // counted by its uuid alone
	scoped        bool     // counted by the kind of file it is in
}

// copyable returns whether copies of a conversation include the entry.
func (m *record) copyable() bool { return m.uuid != "" && m.kind != "progress" }

// entry writes an entry of the conversation by the template of its kind: body writes its
// own keys, and tail those after its uuid and time.
func (t *transcript) entry(kind, subtype string, body, tail func()) {
	t.entryIn(&scope{kind: kind, arg: subtype, body: body, tail: tail})
}

func (t *transcript) entryIn(k *scope) {
	if t.scope() == "main" && (k.kind == "user" || k.kind == "assistant") {
		t.session.begun()
	}
	t.open = record{kind: k.kind, subtype: k.arg, from: len(t.b), parent: t.parent, said: k.message}
	t.write(t.Templates["entry"], k)
	t.open.message, t.open.unique = k.saved[savedMessage], k.kind == "system" || k.layout == "synthetic"
	t.finish()
}

// stamp draws the uuid of an entry.
func (t *transcript) stamp() {
	t.parent, t.last = t.uuid(), t.now
	t.open.uuid = t.parent
	t.raw(t.parent)
}

// finish ends the line of an entry, and counts it.
func (t *transcript) finish() {
	t.open.to, t.open.at, t.open.clear = len(t.b), t.now, t.clear
	t.clear = false
	t.records = append(t.records, t.open)
	t.raw("\n")
	t.expected.entry(&t.open)
}

// note writes an entry that is not part of the conversation.
func (t *transcript) note(kind string, body func()) {
	t.open = record{kind: kind, from: len(t.b)}
	t.raw(`{"type":`).quote(kind).raw(`,`)
	body()
	t.raw(`}`)
	t.finish()
}

// progress writes how far a tool call is.
func (t *transcript) progress(subtype, id string, body func()) {
	t.entryIn(&scope{kind: "progress", arg: subtype, id: id, body: body})
}

func (t *transcript) system(subtype string, body func()) {
	t.entry("system", subtype, body, nil)
}

// user writes a "user" entry; tail writes further keys.
func (t *transcript) user(content, tail func()) { t.entry("user", "", content, tail) }

// userText writes a "user" entry with an escaped text.
func (t *transcript) userText(text string) { t.user(func() { t.quote(text) }, nil) }

// pass lets time go by, in milliseconds.
func (t *transcript) pass(ms int) { t.now += int64(ms) }

// drawSize draws from a named distribution.
func (t *transcript) drawSize(name string) int { return t.Sizes[name].of(t.rng) }

// since returns the milliseconds since a time, as both are written.
func (t *transcript) since(at int64) int { return int(t.tempo.at(t.now) - t.tempo.at(at)) }

// scope returns the label of who acts in this transcript.
func (t *transcript) scope() string {
	if t.agent != "" || t.side {
		return "subagent"
	}
	return "main"
}
