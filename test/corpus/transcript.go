package corpus

import (
	"strconv"
	"time"
)

// settings are the same in all entries of a session.
type settings struct {
	*generator
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
	foreground  bool // people wait for sub-agents
}

// A transcript is a file that is being written: the conversation of a session or of a
// sub-agent with a model.
type transcript struct {
	*settings
	session *session

	b       []byte
	path    string
	agent   string // the id of the sub-agent; empty in the transcript of a session
	side    bool   // entries belong to a side chain
	now     int64  // the time of the next entry, in milliseconds since the epoch
	last    int64  // the time of the last entry that has one
	parent  string // the uuid of the last entry, if any
	clear   bool   // see record
	open    record
	records []record
	ragged  int // number of records when the last one shared its line

	model      string
	streams    []share
	context    int      // tokens that the next request sends
	previous   int      // tokens before the last compaction
	compacting int      // how long that took, in milliseconds
	waiting    []*call  // calls without a result yet
	kind       string   // of the sub-agent
	agentType  string   // of the sub-agent, if its entries state it
	purpose    *purpose // of the next message, if any
	requests   requestLog
}

// A record locates an entry and holds what copies of it need.
type record struct {
	kind         string
	from, to     int   // without the line end
	at           int64 // when it was written
	uuid, parent string
	message      span     // of assistant and user entries
	said         *message // of assistant entries
	clear        bool     // no message or call before it continues after it
	unique       bool     // counted by its uuid alone
	scoped       bool     // counted by the kind of file it is in
}

// copyable returns whether copies of a conversation include the entry.
func (m *record) copyable() bool { return m.uuid != "" && m.kind != "progress" }

// entry writes an entry of the conversation by the template of its kind.
func (t *transcript) entry(k *scope) {
	t.open = record{kind: k.kind, from: len(t.b), parent: t.parent, said: k.message}
	t.write(t.Templates["entry"], k)
	t.open.message, t.open.unique = k.saved[savedMessage], k.kind == "system" || k.layout == "synthetic"
	t.finish()
}

// finish ends the line of an entry.
func (t *transcript) finish() {
	t.open.to, t.open.at, t.open.clear = len(t.b), t.now, t.clear
	t.clear = false
	t.records = append(t.records, t.open)
	t.raw("\n")
}

// note writes an entry that is not part of the conversation.
func (t *transcript) note(kind string, body func()) {
	t.open = record{kind: kind, from: len(t.b)}
	t.raw(`{"type":"`, kind, `",`)
	body()
	t.raw(`}`)
	t.finish()
}

// progress writes how far a tool call is.
func (t *transcript) progress(subtype, id string, body func()) {
	t.entry(&scope{kind: "progress", arg: subtype, id: id, body: body})
}

func (t *transcript) system(subtype string, body func()) {
	t.entry(&scope{kind: "system", arg: subtype, body: body})
}

// user writes a "user" entry; tail writes further keys, if any.
func (t *transcript) user(content, tail func()) {
	t.entry(&scope{kind: "user", body: content, tail: tail})
}

// userText writes a "user" entry with an escaped text.
func (t *transcript) userText(text string) { t.user(func() { t.raw(`"`, text, `"`) }, nil) }

// pass lets time go by, in milliseconds.
func (t *transcript) pass(ms int) { t.now += int64(ms) }

// drawSize draws from a named distribution.
func (g *generator) drawSize(name string) int { return g.Sizes[name].of(g.rng) }

// scope returns the label of who acts in this transcript.
func (t *transcript) scope() string {
	if t.agent != "" || t.side {
		return "subagent"
	}
	return "main"
}

func (t *transcript) raw(json ...string) {
	for _, s := range json {
		t.b = append(t.b, s...)
	}
}

// comma separates the element i of a list from the one before it.
func (t *transcript) comma(i int) {
	if i > 0 {
		t.b = append(t.b, ',')
	}
}

func (t *transcript) num(n int) { t.b = strconv.AppendInt(t.b, int64(n), 10) }

// time appends a timestamp in milliseconds since the epoch, without quotes.
func (t *transcript) time(ms int64) {
	t.b = time.UnixMilli(ms).UTC().AppendFormat(t.b, "2006-01-02T15:04:05.000Z")
}

// A span is a part of what a transcript contains.
type span struct{ from, to int }

// again repeats a part.
func (t *transcript) again(s span) { t.b = append(t.b, t.b[s.from:s.to]...) }
