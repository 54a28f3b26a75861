package corpus

// A setting is what is the same in all entries of a session.
type setting struct {
	version    version
	sessionID  string
	cwd        string // escaped
	branch     string
	slug       string // empty before there were any
	entrypoint string
	provider   *provider
	hooks      bool // the user has hooks, which are told of
	background bool // it has no terminal
}

// A file is a transcript as it is being written.
type file struct {
	*world
	*setting
	out

	path    string
	agent   string // the id of the sub-agent whose file it is; empty for a session's
	side    bool   // entries are written as those of a side chain
	now     int64  // when the next entry is written, in milliseconds since the epoch
	last    int64  // when the last one was, as it says itself
	parent  uuid   // of the last entry
	started bool   // there is one
	clear   bool   // what is written next is clear
	open    mark
	marks   []mark
	latest  queueKey // of the last queue operation
	ragged  int      // how many entries there were when the last one shared its line
}

// A mark says where an entry stands, and where in it what is other in a copy.
// A place is 0 where the entry does not have it.
type mark struct {
	kind, subtype               string
	unknown                     string // as what it is reported if ccwatchd cannot know it
	from, to                    int    // without the end of the line
	at                          int64  // when it was written
	parent, side, session, uuid int
	message                     span // of assistant and user entries
	outcome                     span // of assistant entries: stop reason and usage
	said                        *message
	clear                       bool // no message or call before it goes on behind it
	unique                      bool // counted by its uuid alone
	scoped                      bool // counted by whose file it is in
}

// tailed reports whether most of what is the same in all entries stands at
// their end, as it does in newer versions.
func (f *file) tailed() bool { return f.version >= v(2, 1, 78) }

// begin opens an entry of the conversation, up to where its own keys begin.
func (f *file) begin() {
	f.open = mark{from: len(f.b)}
	f.raw(`{"parentUuid":`)
	if f.started {
		f.raw(`"`)
		f.open.parent = len(f.b)
		f.bytes(f.parent[:]).raw(`"`)
	} else {
		f.raw(`null`)
	}
	f.raw(`,"isSidechain":`)
	f.open.side = len(f.b)
	f.bool(f.side)
	if !f.tailed() {
		f.surroundings()
	} else if f.agent != "" {
		f.raw(`,"agentId":`).quote(f.agent)
	}
	f.raw(`,`)
}

// surroundings are the keys that are the same in all entries.
func (f *file) surroundings() {
	f.raw(`,"userType":"external"`)
	if f.tailed() {
		f.raw(`,"entrypoint":`).quote(f.entrypoint)
	}
	f.raw(`,"cwd":`).quote(f.cwd).raw(`,"sessionId":"`)
	f.open.session = len(f.b)
	f.raw(f.sessionID).raw(`","version":`).quote(f.version.String()).raw(`,"gitBranch":`).quote(f.branch)
	if f.agent != "" && !f.tailed() {
		f.raw(`,"agentId":`).quote(f.agent)
	}
	if f.slug != "" {
		f.raw(`,"slug":`).quote(f.slug)
	}
	if f.background {
		f.raw(`,"sessionKind":"bg"`)
	}
}

// stamp adds what every entry has: its own id and its time.
func (f *file) stamp() {
	id := f.uuid()
	f.raw(`,"uuid":"`)
	f.open.uuid = len(f.b)
	f.bytes(id[:]).raw(`","timestamp":`)
	f.time(f.now)
	f.last = f.now
	f.parent, f.started = id, true
}

// end closes an entry that was stamped and enters it.
func (f *file) end(kind, subtype string) {
	if f.tailed() {
		f.surroundings()
	}
	f.finish(kind, subtype)
}

// finish closes an object and its line.
func (f *file) finish(kind, subtype string) {
	f.raw(`}`)
	f.open.kind, f.open.subtype, f.open.to, f.open.at, f.open.clear = kind, subtype, len(f.b), f.now, f.clear
	f.clear = false
	if what, unknown := unknownTypes[kind]; unknown {
		f.open.unknown = what
	}
	f.marks = append(f.marks, f.open)
	f.raw("\n")
	f.books.entry(&f.open)
}

// note writes an entry that is no part of the conversation: it has no place in
// the chain of entries. write adds its keys.
func (f *file) note(kind string, write func()) {
	f.open = mark{from: len(f.b)}
	f.raw(`{"type":`).quote(kind)
	write()
	f.finish(kind, "")
}

// owner is the key by which most notes belong to a session.
func (f *file) owner() *out { return f.raw(`,"sessionId":`).quote(f.sessionID) }

// pass lets time go by.
func (f *file) pass(ms int) { f.now += int64(ms) }

// since returns how many milliseconds after a time it is, by what is written of both.
func (f *file) since(at int64) int { return int(f.out.tempo.at(f.now) - f.out.tempo.at(at)) }

// scope is on whose behalf things in this file happen.
func (f *file) scope() string {
	if f.agent != "" || f.side {
		return "subagent"
	}
	return "main"
}
