package corpus

// damages are what crashes, full disks and two writers leave: lines that are not
// exactly one object. They were found a few times in half a million lines.
func damages() []episode {
	const percent = .04
	return []episode{
		{percent: percent, play: (*session).glue},
		{percent: percent, play: (*session).tear},
		{percent: percent, play: (*session).behead},
		{percent: percent, play: (*session).zeros},
		{percent: percent, play: (*session).scrap},
		{percent: percent, play: (*session).carriage},
	}
}

// trifle writes an entry of no importance, with a line of its own, and returns
// where it is.
func (s *session) trifle() mark {
	s.notice("local_command", func() { s.raw(`,"content":"<local-command-stdout></local-command-stdout>","level":"info"`) })
	return s.marks[len(s.marks)-1]
}

// glue leaves out the end of a line, so that another entry follows on it.
func (s *session) glue() {
	s.b = s.b[:s.trifle().to]
	s.books.add("lines", "state=ok", -1)
	s.join("glued")
}

// tear writes the beginning of an entry that is lost, and goes on behind it.
func (s *session) tear() {
	m := s.trifle()
	s.b = append(s.b, s.b[m.from:m.from+(m.to-m.from)*s.between(20, 80)/100]...)
	s.join("torn")
}

// join has another entry go onto the line at hand.
func (s *session) join(class string) {
	s.books.broken(class)
	s.trifle()
	s.books.add("lines", "state=ok", -1)
	s.ragged = len(s.marks)
}

// behead writes the end of an entry whose beginning is lost.
func (s *session) behead() {
	m := s.trifle()
	from := m.side + s.between(1, 3) // within true or false
	s.b = append(append(s.b, s.b[from:m.to]...), '\n')
	s.books.broken("garbage")
}

// zeros writes what a loss of power leaves before an entry.
func (s *session) zeros() {
	s.b = append(s.b, make([]byte, s.between(1, 4000))...)
	s.trifle()
}

// scrap writes a value that is no object, and a line with nothing on it.
func (s *session) scrap() {
	s.raw("null\n\n")
	s.books.broken("not_object")
	s.books.line("blank")
}

// carriage ends a line as Windows does.
func (s *session) carriage() {
	s.b = append(s.b[:s.trifle().to], '\r', '\n')
}

// fray leaves the last line of a file without its end, or has the beginning of
// another one follow, now and then.
func (f *file) fray() {
	if !f.chance(1) || len(f.marks) == 0 || f.ragged == len(f.marks) {
		return
	}
	m := f.marks[len(f.marks)-1]
	switch {
	case m.to+1 != len(f.b): // what is last is no entry
	case f.chance(50):
		f.b = f.b[:m.to]
		f.books.add("lines", "state=ok", -1)
		f.books.line("unterminated_ok")
	default:
		f.b = append(f.b, f.b[m.from:(m.from+m.to)/2]...)
		f.books.line("unterminated_partial")
	}
}
