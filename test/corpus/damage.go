package corpus

import "bytes"

// filler writes an unimportant entry and returns where it is.
func (t *transcript) filler() record {
	t.localOutput(func() { t.raw(`"<local-command-stdout></local-command-stdout>"`) })
	return t.records[len(t.records)-1]
}

// damage writes what crashes, full disks and concurrent writers leave.
func (s *session) damage(kind string) {
	m := s.filler()
	switch kind {
	case "glued": // a line without its end, so that another entry follows on it
		s.b = s.b[:m.to]
		s.join()
	case "torn": // the beginning of an entry, and another entry after it
		s.b = append(s.b, s.b[m.from:m.from+(m.to-m.from)*s.between(20, 80)/100]...)
		s.join()
	case "garbage": // the end of an entry
		s.b = append(append(s.b, s.b[m.to-s.between(80, 150):m.to]...), '\n')
	case "not_object": // another value, and an empty line
		s.raw("null\n\n")
	case "zeros": // the zero bytes that a power failure leaves before an entry
		s.b = append(s.b, make([]byte, s.between(1, 4000))...)
		s.filler()
	case "carriage_return": // the line end of Windows
		s.b = append(s.b[:m.to], '\r', '\n')
	}
}

// join continues a line with another entry.
func (s *session) join() {
	s.filler()
	s.ragged = len(s.records)
}

// fray leaves the last line of a file without its end, or adds the beginning of another
// one, now and then.
func (t *transcript) fray() {
	if !t.chance(1) || len(t.records) == 0 || t.ragged == len(t.records) {
		return
	}
	m := t.records[len(t.records)-1]
	switch {
	case m.to+1 != len(t.b): // the last line is not an entry
	case t.chance(50):
		t.b = t.b[:m.to]
	default:
		t.b = append(t.b, t.b[m.from:(m.from+m.to)/2]...)
	}
}

// An aside is a file that is not a transcript, although it may look like one.
type aside struct{ path, content string }

func (s *session) aside(path, content string) { s.asides = append(s.asides, aside{path, content}) }

// addAsides writes files that lie beside transcripts: long tool output, backups, notes.
func (s *session) addAsides() {
	beginning := string(s.b[:bytes.LastIndexByte(s.b[:min(len(s.b), 20_000)], '\n')+1])
	results := s.root() + "/tool-results/"
	s.aside(results+s.text(s.provider.Tool, nil)+".txt", string(s.texts["output"].appendTo(nil, s.rng, 30_000)))
	s.aside(results+s.text(s.provider.Tool, nil)+".jsonl", beginning)
	s.aside(s.path+".backup", beginning)
	s.aside(s.dir+"/memory/MEMORY.md", "# Memory\n\n- Run the tests before every commit.\n")
	s.aside(s.dir+"/memory/notes.jsonl", beginning)
	s.aside(s.dir+"/history.jsonl", `{"display":"fix it","pastedContents":{},"timestamp":1772359200000}`+"\n")
	s.aside(s.dir+"/audit.jsonl", beginning)
	s.aside(s.dir+"/sessions-index.json", `{"version":1,"entries":[]}`+"\n")
}
