package transcript

import (
	"bytes"
	"slices"
)

const (
	bom     = "\xef\xbb\xbf"
	padding = "\x00 \t\r\n" // allowed around a line; a power failure leaves NULs
	gap     = "\x00 \t\r"   // allowed between two objects of a line
)

// maxReads limits how many times the length of a torn line the search for its last
// record may read. The search tries every position that looks like the start of a
// record. Most attempts fail within a few bytes, but in a hostile line each may go to
// the end.
const maxReads = 16

// recordStarts are the beginnings of records.
var recordStarts = [][]byte{
	[]byte(`{"parentUuid"`), []byte(`{"type"`), []byte(`{"uuid"`), []byte(`{"isSidechain"`),
	[]byte(`{"sessionId"`), []byte(`{"messageId"`), []byte(`{"operation"`),
}

// Parse parses one line, given without its "\n", and adds its entries to a buffer.
// first is whether it is the first line of its file, which may begin with a byte order
// mark. The buffer does not refer to the line afterwards.
//
// A line that is not exactly one JSON object has a Problem and may still have entries:
// the consecutive objects from its start and, if a torn record follows them, the
// complete record that ends the line. At most 65,536 objects of a line are read, 65,536
// parts of all objects together (content blocks, separate iterations, and models of a
// session's totals), and 4,096 runs of hooks in summaries. The search for the last
// record gives up after reading 16 times the length of the line.
func (p *Parser) Parse(line []byte, first bool, to *Buffer) {
	line = trim(line, first)
	if len(line) == 0 {
		return
	}
	defer p.release(line)
	p.left = newBudget()
	if _, ok := p.decode(p.shorten(line), to); ok {
		return
	}
	if scanValue(line, 0) == len(line) {
		to.Problems = append(to.Problems, NotObject)
		return
	}
	to.Problems = append(to.Problems, p.recover(line, to))
}

// ParseTail parses a last line that has no "\n" yet, and reports whether it is one
// complete JSON object. Otherwise it adds nothing: the line may still be being written.
func (p *Parser) ParseTail(line []byte, first bool, to *Buffer) bool {
	defer p.release(line)
	p.left = newBudget()
	_, ok := p.decode(p.shorten(trim(line, first)), to)
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

// recover reads the intact objects of a line that is not a JSON value, and returns the
// problem with the line.
func (p *Parser) recover(line []byte, to *Buffer) Problem {
	before := len(to.Entries)
	pos := p.leading(line, to)
	found := len(to.Entries) > before
	switch {
	case found && pos == len(line):
		return Glued
	case p.trailing(line, max(pos, 1), to), found:
		return Torn
	case isUTF16(line):
		return UTF16
	}
	return Garbage
}

// isUTF16 reports whether a line begins with an object in UTF-16, in either byte order:
// a line that ends in the middle of a "\n" begins with a NUL, which is trimmed.
func isUTF16(line []byte) bool {
	line = bytes.TrimPrefix(bytes.TrimPrefix(line, []byte("\xff\xfe")), []byte("\xfe\xff"))
	return bytes.HasPrefix(bytes.TrimLeft(line, "\x00"), []byte("{\x00\"\x00"))
}

// leading reads the complete objects from the start of the line on, and returns where
// it stopped: at the first bytes that are not a JSON value, or after the first value
// that is not an object.
func (p *Parser) leading(line []byte, to *Buffer) (pos int) {
	for n := 0; pos < len(line) && n < maxEntries; n++ {
		end := scanValue(line, pos)
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

// trailing reads the longest record that begins at or after pos and ends with the line.
// A shorter record would be part of it.
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
		end := scanValue(line, pos)
		if reads -= max(end, ^end) - pos; end != len(line) {
			continue
		}
		if isRecord, _ := p.decode(line[pos:], to); isRecord {
			return true
		}
		to.Entries = to.Entries[:len(to.Entries)-1]
	}
	return false
}

func startsRecord(b []byte) bool {
	return slices.ContainsFunc(recordStarts, func(start []byte) bool { return bytes.HasPrefix(b, start) })
}
