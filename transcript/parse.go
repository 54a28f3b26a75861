package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
)

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

// A Parser reads lines. It remembers nothing of them but strings that come
// again and again, so that these need no memory each time. It is not safe for
// use by several goroutines at once.
type Parser struct{}

// NewParser returns a Parser.
func NewParser() *Parser { return &Parser{} }

// Parse reads one line that was ended by "\n", given without it, and adds what
// it says to a page. first says that it is the first line of its file, which may
// begin with a byte order mark. Nothing on the page refers to the line.
//
// A line that is not exactly one JSON object has a Problem and may have entries
// nevertheless: all the objects that stand one after another from its start,
// and, if a record was cut off behind them, the complete record that ends the
// line. Of the objects no more than 65,536 are taken, and the search for the
// last record gives up after reading 16 times the length of the line.
func (p *Parser) Parse(line []byte, first bool, to *Page) {
	line = trim(line, first)
	if len(line) == 0 {
		return
	}
	if e, _, ok := decode(line); ok {
		to.Entries = append(to.Entries, e)
		return
	}
	if json.Valid(line) {
		to.problem(NotObject)
		return
	}
	said := recoverLine(line)
	to.Entries = append(to.Entries, said.Entries...)
	to.problem(said.Problem)
}

// ParseTail reads a last line that has no "\n" yet, and reports whether it is
// one complete JSON object. Only then it is added to the page: anything else may
// still be being written.
func (p *Parser) ParseTail(line []byte, first bool, to *Page) bool {
	e, _, ok := decode(trim(line, first))
	if ok {
		to.Entries = append(to.Entries, e)
	}
	return ok
}

func trim(line []byte, first bool) []byte {
	if first {
		line = bytes.TrimPrefix(line, []byte(bom))
	}
	return bytes.Trim(line, padding)
}

// recoverLine reads what can be read of a line that is no JSON value.
func recoverLine(line []byte) reading {
	entries, pos := leading(line)
	if len(entries) > 0 && pos == len(line) {
		return reading{Entries: entries, Problem: Glued}
	}
	if e, ok := trailing(line, max(pos, 1)); ok {
		return reading{Entries: append(entries, e), Problem: Torn}
	}
	if len(entries) > 0 {
		return reading{Entries: entries, Problem: Torn}
	}
	return reading{Problem: Garbage}
}

// leading reads the complete objects from the start of the line on, and
// returns where it stopped: at the first bytes that are no JSON value, or
// behind the first value that is no object.
func leading(line []byte) (entries []Entry, pos int) {
	for pos < len(line) && len(entries) < maxEntries {
		n, ok := value(line[pos:])
		if !ok {
			break
		}
		e, _, ok := decode(line[pos : pos+n])
		pos += n
		if !ok {
			break
		}
		entries = append(entries, e)
		pos = len(line) - len(bytes.TrimLeft(line[pos:], gap))
	}
	return entries, pos
}

// trailing finds the record that begins at pos or behind it and ends with the
// line: the longest one, so that no part of it is taken for the whole.
func trailing(line []byte, pos int) (Entry, bool) {
	for reads := maxReads * len(line); reads > 0; pos++ {
		i := bytes.Index(line[pos:], []byte(`{"`))
		if i < 0 {
			break
		}
		pos += i
		if !startsRecord(line[pos:]) {
			continue
		}
		n, ok := value(line[pos:])
		reads -= n
		if !ok || pos+n != len(line) {
			continue
		}
		if e, record, ok := decode(line[pos:]); ok && record {
			return e, true
		}
	}
	return Entry{}, false
}

func startsRecord(b []byte) bool {
	for _, s := range starts {
		if bytes.HasPrefix(b, s) {
			return true
		}
	}
	return false
}

// value measures the JSON value at the start of b. If there is none, n is how
// far it had to be read to know.
func value(b []byte) (n int, ok bool) {
	var raw json.RawMessage
	d := json.NewDecoder(bytes.NewReader(b))
	err := d.Decode(&raw)
	if err == nil {
		return int(d.InputOffset()), true
	}
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		return int(bad.Offset), false
	}
	return len(b), false
}
