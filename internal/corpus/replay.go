package corpus

import (
	"cmp"
	"slices"
)

// A copying says what is other in copies of entries of a main conversation. What
// is zero stays.
type copying struct {
	agent   string   // the sub-agent in whose file they are
	session string   // to which they belong
	renamed bool     // every copy has a new uuid
	told    bool     // every copy says what it is a copy of
	better  *message // of this one they have the true number
	whole   bool     // everything up to now is copied, and the copy goes on without anybody who watches
}

// copyable reports whether a fork or a clone repeats an entry. What is counted by its
// uuid alone would be counted again under another one.
func (w *world) copyable(m *mark, renamed bool) bool {
	switch {
	case m.uuid == 0 || m.kind == "progress":
		return false
	case renamed && m.unique:
		return w.cloneAll && slices.Contains(secondKeys, m.subtype)
	}
	return true
}

// secondKeys are the subtypes of entries that ccwatchd counts by what they say as well
// as by their uuid.
var secondKeys = []string{"turn_duration", "compact_boundary"}

// A patch replaces some bytes of an entry.
type patch struct {
	at, length int
	by         string
}

// copy writes a copy of an entry of another file, or of this one.
func (f *file) copy(of *file, m *mark, c copying) {
	from := len(f.b)
	at := m.from
	for _, p := range f.patches(of, m, c) {
		f.bytes(of.b[at:p.at]).raw(p.by)
		at = p.at + p.length
	}
	f.bytes(of.b[at:m.to]).raw("\n")
	f.noteCopy(m, from)
}

// noteCopy notes that a copy of an entry was written.
func (f *file) noteCopy(m *mark, from int) {
	f.marks = append(f.marks, mark{kind: m.kind, subtype: m.subtype, unknown: m.unknown, from: from, to: len(f.b) - 1, at: f.now})
	f.books.entry(m)
}

// patches returns what is other in a copy, in the order of the entry.
func (f *file) patches(of *file, m *mark, c copying) []patch {
	var all []patch
	if c.agent != "" {
		all = append(all, patch{m.side, len(`false`), `true,"agentId":"` + c.agent + `"`})
	}
	if c.told {
		origin := `false,"forkedFrom":{"sessionId":"` + of.sessionID + `","messageUuid":"` + string(of.b[m.uuid:m.uuid+len(uuid{})]) + `"}`
		all = append(all, patch{m.side, len(`false`), origin})
	}
	if c.session != "" {
		all = append(all, patch{m.session, len(uuid{}), c.session})
	}
	id := uuid(of.b[m.uuid : m.uuid+len(uuid{})])
	if c.renamed {
		id = f.uuid()
		all = append(all, patch{m.uuid, len(id), string(id[:])})
		if m.parent != 0 && f.started {
			all = append(all, patch{m.parent, len(f.parent), string(f.parent[:])})
		}
	}
	if c.better != nil && c.better == m.said {
		scratch := &file{world: f.world, setting: f.setting}
		scratch.outcome(m.said, true)
		all = append(all, patch{m.outcome.from, m.outcome.to - m.outcome.from, string(scratch.b)})
	}
	f.parent, f.started = id, true
	slices.SortFunc(all, func(a, b patch) int { return a.at - b.at })
	return all
}

// replay is a sub-agent of Claude Code itself: it begins with a copy of what
// the conversation holds and adds one message, which is in no other file.
func (s *session) replay(kind string) {
	most := 40
	switch kind {
	case "compact":
		most = 400
	case "prompt_suggestion":
		most = 12
	}
	id := s.free("a"+kind+"-", 6)
	t := s.subagent(id, "", s.now+int64(s.between(1, 900)))
	c := copying{agent: id}
	first := max(s.fresh, len(s.marks)-most)
	if first = s.boundary(first); s.chance(10) {
		c.better = s.improve(first)
	}
	for i := first; i < len(s.marks); i++ {
		if m := &s.marks[i]; m.uuid != 0 && m.kind != "progress" && !m.scoped {
			t.copy(s.file, m, c)
		}
	}
	t.user("", func() { t.raw(`"Your task is to look back at the conversation so far.\n"`) })
	t.context = s.context
	t.conclude()
	s.books.subagent(kind)
}

// boundary returns the first entry at or behind i with which nothing is cut in two.
func (s *session) boundary(i int) int {
	for i < len(s.marks) && !s.marks[i].clear {
		i++
	}
	return i
}

// improve finds a message, from an entry on, of which only a placeholder was
// written, and gives it its true number, so that a copy can have it.
func (s *session) improve(first int) *message {
	for i := first; i < len(s.marks); i++ {
		m := s.marks[i].said
		if m == nil || m.stream != placeholders || m.improved {
			continue
		}
		s.enter(m, -1)
		m.usage.output, m.stream, m.improved = outputTokens.of(s.dice), allFinal, true
		s.enter(m, 1)
		return m
	}
	return nil
}

// fork goes on with the session in another file, which begins with a copy. Unless
// they keep the id of another session, the copied entries are of the new one. It
// returns the id of the new session, which is empty if there is nothing to copy yet.
func (s *session) fork(c copying) string {
	if len(s.turns) == 0 {
		return ""
	}
	f := &session{era: s.era, dir: s.dir, tools: s.tools, reports: s.reports, long: s.long}
	set := *s.setting
	set.sessionID, set.background = dashed(s.dice), c.whole
	c.session = cmp.Or(c.session, set.sessionID)
	f.thread = f.newThread(&file{world: s.world, setting: &set, path: s.dir + "/" + set.sessionID + ".jsonl", now: s.now + 60_000})
	end := pick(s.dice, s.turns)
	if c.whole {
		end = len(s.marks)
	}
	for i := range s.marks[:end] {
		m := &s.marks[i]
		if !s.copyable(m, c.renamed) {
			continue
		}
		if c.session == set.sessionID && (m.kind == "user" || m.kind == "assistant") {
			f.begun()
		}
		f.copy(s.file, m, c)
	}
	if s.chance(50) { // it is not known whether a fork goes on with the costs of its parent
		f.spent = slices.Clone(s.spent)
	}
	f.target = len(f.b) + s.between(2000, 40000)
	f.context = s.context
	for len(f.b) < f.target {
		f.turn()
	}
	f.quit()
	s.files = append(s.files, f.files...)
	return set.sessionID
}

// relive writes what there is from an entry on again into the same file, as a
// resume after an upgrade once did. What is counted by nothing but its uuid would
// be counted again under another one, and is left out.
func (t *thread) relive(from int, renamed bool) {
	for i := range t.marks[from:] {
		m := t.marks[from+i]
		if !m.unique && t.copyable(&m, renamed) {
			t.copy(t.file, &m, copying{renamed: renamed})
		}
	}
}
