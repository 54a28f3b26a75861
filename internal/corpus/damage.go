package corpus

// damages are what crashes, full disks and two writers leave: lines that are not
// exactly one object. They were found a few times in half a million lines.
func damages() []episode {
	const percent = .04
	return []episode{
		{percent: percent, play: func(s *session) { s.glue() }},
		{percent: percent, play: func(s *session) { s.tear() }},
		{percent: percent, play: func(s *session) { s.behead() }},
		{percent: percent, play: func(s *session) { s.zeros() }},
		{percent: percent, play: func(s *session) { s.scrap() }},
		{percent: percent, play: func(s *session) { s.carriage() }},
	}
}

// last returns the last entry, whether there is one, and whether it has a line
// of its own.
func (f *file) last() (m *mark, ok bool) {
	if len(f.marks) == 0 || f.ragged || f.joined {
		return nil, false
	}
	return &f.marks[len(f.marks)-1], true
}

// glue leaves out the end of the last line, so that another entry follows it.
func (s *session) glue() {
	if _, ok := s.last(); !ok {
		return
	}
	s.b = s.b[:len(s.b)-1]
	s.books.add("lines", "state=ok", -1)
	s.join("glued")
}

// tear writes the beginning of an entry that is lost, and goes on behind it.
func (s *session) tear() {
	m, ok := s.last()
	if !ok {
		return
	}
	s.b = append(s.b, s.b[m.from:m.from+(m.to-m.from)*s.between(20, 80)/100]...)
	s.join("torn")
}

// join has the next entry go onto the line at hand.
func (s *session) join(class string) {
	s.books.broken(class)
	s.books.add("lines", "state=ok", -1)
	s.joined = true
	s.notice("local_command", func() { s.raw(`,"content":"","level":"info"`) })
}

// behead writes the end of an entry whose beginning is lost.
func (s *session) behead() {
	m, ok := s.last()
	if !ok || m.side == 0 {
		return
	}
	from := m.side + s.between(1, 3) // within true or false
	s.b = append(append(s.b, s.b[from:m.to]...), '\n')
	s.books.broken("garbage")
}

// zeros writes what a loss of power leaves before the next entry.
func (s *session) zeros() {
	s.b = append(s.b, make([]byte, s.between(1, 4000))...)
	s.notice("local_command", func() { s.raw(`,"content":"","level":"info"`) })
}

// scrap writes a value that is no object, and a line with nothing on it.
func (s *session) scrap() {
	s.raw("null\n\n")
	s.books.broken("not_object")
	s.books.line("blank")
}

// carriage ends a line as Windows does.
func (s *session) carriage() {
	if _, ok := s.last(); ok {
		s.b = append(s.b[:len(s.b)-1], '\r', '\n')
	}
}

// fray leaves the last line of a file without its end, or with more behind it
// that is not complete.
func (f *file) fray() {
	m, ok := f.last()
	switch {
	case !ok || !f.chance(1):
	case f.chance(50):
		f.b = f.b[:m.to]
		f.books.add("lines", "state=ok", -1)
		f.books.line("unterminated_ok")
	default:
		f.b = append(f.b, f.b[m.from:(m.from+m.to)/2]...)
		f.books.line("unterminated_partial")
	}
}
