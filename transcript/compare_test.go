package transcript

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A comparer compares a Parser with the reference decoder.
type comparer struct {
	other     []byte // a line that fills all parts of a parser and a buffer
	otherWant reading
	shown     int // number of differences
}

func newComparer() *comparer {
	other := []byte(wholeSession)
	return &comparer{other: other, otherWant: refParse(other, false, true)}
}

// compare parses the line repeatedly with one parser and one buffer: first, after
// another line, into a reused buffer, and as a tail.
func (c *comparer) compare(t *testing.T, line []byte, first bool) {
	t.Helper()
	want := refParse(line, first, true)
	p, buffer := NewParser(), &Buffer{}
	p.minLine = 0
	read := func(line []byte, first bool) reading {
		entries, problems := len(buffer.Entries), len(buffer.Problems)
		given := slices.Clip(bytes.Clone(line))
		p.Parse(given, first, buffer)
		if !bytes.Equal(given, line) {
			t.Errorf("Parse changed the line\n%s", difftest.Diff(string(line), string(given)))
		}
		clear(given) // the buffer must not refer to it
		got := reading{Entries: buffer.Entries[entries:]}
		for _, problem := range buffer.Problems[problems:] {
			got.Problem += problem // at most one
		}
		return got
	}
	got := read(line, first)
	if !same(got, want) && bytes.Count(line, []byte(`{"`)) > maxReads {
		want = refParse(line, first, false) // the search may have reached its limit
	}
	other := read(c.other, false)
	again := read(line, first)
	c.check(t, "line", line, first, got, want)
	c.check(t, "line after another", line, first, again, want)
	c.check(t, "other line", c.other, false, other, c.otherWant)
	buffer.Reset()
	other = read(c.other, false)
	got = read(line, first)
	c.check(t, "line in a reused buffer", line, first, got, want)
	c.check(t, "other line in a reused buffer", c.other, false, other, c.otherWant)
	buffer.Reset()
	ok := p.ParseTail(line, first, buffer)
	e, wantOK := refParseTail(line, first)
	if ok != wantOK || len(buffer.Problems) > 0 || len(buffer.Entries) > 0 != ok || ok && !reflect.DeepEqual(buffer.Entries[0], e) {
		t.Fatalf("ParseTail of a line (first: %t): got %t and problems %q, want %t\n%sin the line\n%s",
			first, ok, buffer.Problems, wantOK, difftest.Diff([]Entry{e}, buffer.Entries), difftest.Head(string(line)))
	}
}

func same(a, b reading) bool {
	return a.Problem == b.Problem &&
		slices.EqualFunc(a.Entries, b.Entries, func(a, b Entry) bool { return reflect.DeepEqual(a, b) })
}

// check ends a test at the first difference, and shows the first three of a comparer:
// one mistake can change thousands of lines.
func (c *comparer) check(t *testing.T, what string, line []byte, first bool, got, want reading) {
	t.Helper()
	if same(got, want) {
		return
	}
	if c.shown++; c.shown > 3 {
		t.Fatalf("%s: differs, too", what)
	}
	t.Fatalf("%s (first: %t): the reference and Parse differ\n%sin the line\n%s", what, first, difftest.Diff(want, got), difftest.Head(string(line)))
}

// fixtureLines returns the lines of the sessions that test the whole program, except
// lines that are too long.
func fixtureLines(tb testing.TB) [][]byte {
	tb.Helper()
	files, err := filepath.Glob("../testdata/fixtures/*/projects/*/*.jsonl")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no sessions found: %v", err)
	}
	var lines [][]byte
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range bytes.SplitSeq(content, []byte("\n")) {
			if len(line) < 1<<16 {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
