package corpus

import "slices"

// What becomes of whole files: copies by the user or a tool, sessions that go on in
// the background, and files of which Claude Code drops the beginning.

// background continues in a copy of the session, without a terminal. The old file
// names the new session.
func (s *session) background() {
	if id := s.fork(copying{whole: true}); id != "" {
		s.note("continued-in", func() { s.owner().raw(`,"continuedInSessionId":`).quote(id) })
	}
}

// duplicate writes the session once more under another name, as synchronization and
// backups do.
func (s *session) duplicate() {
	f := s.beside(dashed(s.dice))
	for i := range s.marks {
		f.repeat(s.file, &s.marks[i])
	}
}

// clone writes the session once more, with a new uuid for every entry.
func (s *session) clone() {
	if s.cloneAll {
		s.duration(s.now - int64(s.between(2_000, 900_000)))
		s.compact("manual")
	}
	f := s.beside(dashed(s.dice))
	for i := range s.marks {
		switch m := &s.marks[i]; {
		case m.uuid == 0 || m.kind == "progress":
			f.repeat(s.file, m)
		case s.copyable(m, true):
			f.copy(s.file, m, copying{renamed: true})
		}
	}
}

// beside begins another file of the session, in the same directory.
func (s *session) beside(name string) *file {
	return s.newThread(&file{world: s.world, setting: s.setting, path: s.dir + "/" + name + ".jsonl", now: s.now}).file
}

// repeat writes an entry of another file as it is.
func (f *file) repeat(of *file, m *mark) {
	from := len(f.b)
	f.bytes(of.b[m.from:m.to]).raw("\n")
	f.noteCopy(m, from)
}

// collectGarbage drops everything before the last compaction from the file of the
// session. A copy that was made before still has that.
func (s *session) collectGarbage() {
	s.compact("auto")
	cut := len(s.marks) - 1
	for s.marks[cut].subtype != "compact_boundary" {
		cut--
	}
	at := s.marks[cut].from
	if cut == 0 || s.b[at-1] != '\n' {
		return
	}
	f := s.beside(s.sessionID + ".before-" + s.hex(4))
	f.b = append(f.b, s.b[:at]...)
	f.marks, f.ragged = slices.Clone(s.marks[:cut]), min(s.ragged, cut)
	s.b = slices.Delete(s.b, 0, at)
	s.marks = slices.Delete(s.marks, 0, cut)
	for i := range s.marks {
		s.marks[i].shift(-at)
	}
	s.turns = slices.DeleteFunc(s.turns, func(n int) bool { return n <= cut })
	for i := range s.turns {
		s.turns[i] -= cut
	}
	s.fresh, s.ragged = max(0, s.fresh-cut), max(0, s.ragged-cut)
	s.target -= at
}

// shift moves all places of a mark by n bytes.
func (m *mark) shift(n int) {
	m.from += n
	m.to += n
	for _, at := range []*int{&m.parent, &m.side, &m.session, &m.uuid} {
		if *at != 0 {
			*at += n
		}
	}
	for _, s := range []*span{&m.message, &m.outcome} {
		if s.to != 0 {
			s.from += n
			s.to += n
		}
	}
}
