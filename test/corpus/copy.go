package corpus

import (
	"bytes"
	"cmp"
	"slices"
)

// A copying says how copies of entries differ. Zero fields change nothing.
type copying struct {
	agent   string   // the sub-agent that they belong to
	session string   // the session that they belong to
	renamed bool     // every copy has a new uuid
	origin  bool     // every copy names the original
	asked   bool     // every copy of a response names the session that asked for it
	better  *message // the copies of this message have its true count
	worse   string   // the outcome that its original has
}

// copy writes a copy of an entry of another transcript, or of this one.
func (t *transcript) copy(of *transcript, m *record, c copying) {
	from := len(t.b)
	t.b = append(t.b, of.b[m.from:m.to]...)
	replace := func(old, by string) {
		if i := bytes.Index(t.b[from:], []byte(old)); i >= 0 {
			t.b = slices.Replace(t.b, from+i, from+i+len(old), []byte(by)...)
		}
	}
	if c.agent != "" {
		replace(`"isSidechain":false`, `"isSidechain":true,"agentId":"`+c.agent+`"`)
	}
	if c.origin {
		origin := `,"forkedFrom":{"sessionId":"` + of.sessionID + `","messageUuid":"` + m.uuid + `"}`
		replace(`"isSidechain":false`, `"isSidechain":false`+origin)
	}
	if c.asked && m.said != nil {
		replace(`,"requestedModel":"`, `,"requestSessionId":"`+of.sessionID+`","requestedModel":"`)
	}
	if c.session != "" {
		replace(`"sessionId":"`+of.sessionID+`","version"`, `"sessionId":"`+c.session+`","version"`)
	}
	id := m.uuid
	if c.renamed {
		id = t.uuid()
		if m.parent != "" && t.parent != "" {
			replace(`"parentUuid":"`+m.parent, `"parentUuid":"`+t.parent)
		}
		replace(`"uuid":"`+m.uuid+`","timestamp"`, `"uuid":"`+id+`","timestamp"`)
	}
	if c.better != nil && c.better == m.said {
		replace(c.worse, t.outcome(m.said))
	}
	if m.uuid != "" {
		t.parent = id
	}
	t.records = append(t.records, record{
		kind: m.kind, from: from, to: len(t.b), at: max(t.now, m.at),
	})
	t.raw("\n")
}

// copied returns whether a fork or clone repeats an entry. Those that are counted by
// their uuid alone would be counted again under another one.
func (m *record) copied(renamed bool) bool {
	return m.copyable() && (!renamed || !m.unique)
}

// fork continues the session in another file, which begins with a copy of all entries
// up to the end of a turn, or of all of them in the background. Unless the copies keep
// a given session, they belong to the new one.
func (s *session) fork(c copying, background bool) (id string) {
	if len(s.turns) == 0 {
		return ""
	}
	set := *s.settings
	set.sessionID, set.background = s.uuid(), background
	c.renamed = c.renamed && s.renames()
	c.session = cmp.Or(c.session, set.sessionID)
	again := !background && !c.origin // by --fork-session, not /branch
	c.asked = again && s.version >= copiesSince
	f := &session{era: s.era, dir: s.dir, reports: s.reports, longContext: s.longContext, began: s.now}
	f.transcript = f.begin(&set, set.sessionID, s.now+60_000)
	end := pick(s.rng, s.turns...)
	if background {
		end = len(s.records)
	}
	for i := range s.records[:end] {
		if m := &s.records[i]; m.copied(c.renamed) {
			f.copy(s.transcript, m, c)
		}
	}
	f.requests = s.requests.continues(len(f.records))
	if again || background && s.chance(50) { // it is not known of those in the background
		f.spent, f.began = slices.Clone(s.spent), s.began
	}
	f.target = len(f.b) + s.between(2000, 40000)
	f.context = s.context
	for len(f.b) < f.target {
		f.turn()
	}
	f.reportCosts()
	s.transcripts = append(s.transcripts, f.transcripts...)
	return set.sessionID
}

// continueInBackground continues in a copy of the session, and names it.
func (s *session) continueInBackground() {
	if id := s.fork(copying{}, true); id != "" {
		s.note("continued-in", func() { s.named("owner", "")(); s.raw(`,"continuedInSessionId":"`, id, `"`) })
	}
}

// repeat writes the entries from a record on once more to the same transcript, as a
// resume once did.
func (t *transcript) repeat(from int, renamed bool) {
	renamed = renamed && t.renames()
	for _, m := range t.records[from:] {
		if !m.unique && m.copied(renamed) {
			t.copy(t, &m, copying{renamed: renamed})
		}
	}
}

// duplicate writes the session to a second file, as synchronization and backups do, or
// with a new uuid for every entry.
func (s *session) duplicate(renamed bool) {
	d := s.begin(s.settings, s.uuid(), s.now)
	renamed = renamed && s.renames()
	for i := range s.records {
		if m := &s.records[i]; !renamed || !m.copyable() {
			d.copy(s.transcript, m, copying{})
		} else if m.copied(true) {
			d.copy(s.transcript, m, copying{renamed: true})
		}
	}
}

// collectGarbage compacts the session and drops what came before from its file. An
// older copy still has that.
func (s *session) collectGarbage() {
	head := s.transcript
	t := s.begin(s.settings, s.sessionID, s.now)
	t.parent, t.context, t.model, t.requests = head.parent, head.context, head.model, head.requests.continues(0)
	head.path = s.root() + ".before-" + s.hex(4) + ".jsonl"
	s.transcript, s.turns, s.target = t, nil, s.target-len(head.b)
	s.compact("auto")
}
