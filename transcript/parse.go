package transcript

import "bytes"

const (
	bom     = "\xef\xbb\xbf"
	padding = "\x00 \t\r\n" // what a line may have at its ends; NULs are left by a loss of power
	gap     = "\x00 \t\r"   // what may stand between two objects of a line
)

// maxEntries is how many objects one line may hold. It keeps a hostile line of
// millions of "{}" from taking many times its size in memory.
const maxEntries = 1 << 16

// maxReads is how many times its length the search for the last record of a
// broken line may read. The search tries every place that looks like the start
// of a record; most fail within a few bytes, but a line can be made on which
// each goes to the end.
const maxReads = 16

// starts are the first keys of records.
var starts = [][]byte{
	[]byte(`{"parentUuid"`), []byte(`{"type"`), []byte(`{"uuid"`), []byte(`{"isSidechain"`),
	[]byte(`{"sessionId"`), []byte(`{"messageId"`), []byte(`{"operation"`),
}

// Parse reads one line that was ended by "\n", given without it, and adds what
// it says to a page. first says that it is the first line of its file, which may
// begin with a byte order mark. Nothing on the page refers to the line.
//
// A line that is not exactly one JSON object has a Problem and may have entries
// nevertheless: all the objects that stand one after another from its start,
// and, if a record was cut off behind them, the complete record that ends the
// line. Of the objects, and of the blocks and of the advisors of one message, no
// more than 65,536 are taken, and the search for the last record gives up after reading
// 16 times the length of the line.
func (p *Parser) Parse(line []byte, first bool, to *Buffer) {
	line = trim(line, first)
	if len(line) == 0 {
		return
	}
	defer p.forget(line)
	if _, ok := p.decode(line, to); ok {
		return
	}
	if scanValue(line, 0, 0) == len(line) {
		to.problem(NotObject)
		return
	}
	to.problem(p.recover(line, to))
}

// ParseTail reads a last line that has no "\n" yet, and reports whether it is
// one complete JSON object. Only then it is added to the page: anything else may
// still be being written.
func (p *Parser) ParseTail(line []byte, first bool, to *Buffer) bool {
	defer p.forget(line)
	_, ok := p.decode(trim(line, first), to)
	return ok
}

func trim(line []byte, first bool) []byte {
	if first {
		line = bytes.TrimPrefix(line, []byte(bom))
	}
	if n := len(line); n > 0 && line[0] == '{' && line[n-1] == '}' {
		return line
	}
	return bytes.Trim(line, padding)
}

// recover reads what can be read of a line that is no JSON value, and returns
// what is wrong with it.
func (p *Parser) recover(line []byte, to *Buffer) Problem {
	before := len(to.Entries)
	pos := p.leading(line, to)
	some := len(to.Entries) > before
	switch {
	case some && pos == len(line):
		return Glued
	case p.trailing(line, max(pos, 1), to), some:
		return Torn
	}
	return Garbage
}

// leading reads the complete objects from the start of the line on, and
// returns where it stopped: at the first bytes that are no JSON value, or
// behind the first value that is no object.
func (p *Parser) leading(line []byte, to *Buffer) (pos int) {
	for n := 0; pos < len(line) && n < maxEntries; n++ {
		end := scanValue(line, pos, 0)
		if end < 0 {
			break
		}
		_, ok := p.decode(line[pos:end], to)
		pos = end
		if !ok {
			break
		}
		pos = len(line) - len(bytes.TrimLeft(line[pos:], gap))
	}
	return pos
}

// trailing finds the record that begins at pos or behind it and ends with the
// line: the longest one, so that no part of it is taken for the whole.
func (p *Parser) trailing(line []byte, pos int, to *Buffer) bool {
	for reads := maxReads * len(line); reads > 0; pos++ {
		i := bytes.Index(line[pos:], []byte(`{"`))
		if i < 0 {
			break
		}
		pos += i
		if !startsRecord(line[pos:]) {
			continue
		}
		end := scanValue(line, pos, 0)
		if reads -= max(end, ^end) - pos; end != len(line) {
			continue
		}
		if whole, _ := p.decode(line[pos:], to); whole {
			return true
		}
		to.Entries = to.Entries[:len(to.Entries)-1]
	}
	return false
}

func startsRecord(b []byte) bool {
	for _, s := range starts {
		if bytes.HasPrefix(b, s) {
			return true
		}
	}
	return false
}
