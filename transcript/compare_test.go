package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// A comparer compares what a Parser reads of a line with what plainParse does.
type comparer struct {
	others []byte  // a line for before and after, which leaves nothing unused
	said   reading // what it says
}

func newComparer() *comparer {
	others := []byte(wholeSession)
	return &comparer{others: others, said: refParse(others, false, true)}
}

// compare reads the line with one parser onto one page again and again: first,
// behind another line, on a page that was used before, and as a tail.
func (c *comparer) compare(t *testing.T, line []byte, first bool) {
	t.Helper()
	want := refParse(line, first, true)
	p, page := NewParser(), &Buffer{}
	read := func(line []byte, first bool) reading {
		entries, problems := len(page.Entries), len(page.Problems)
		given := slices.Clip(bytes.Clone(line))
		p.Parse(given, first, page)
		if !bytes.Equal(given, line) {
			t.Errorf("Parse(%q) changed the line to %q", line, given)
		}
		clear(given) // nothing on the page may refer to it
		said := reading{Entries: page.Entries[entries:]}
		for _, problem := range page.Problems[problems:] {
			said.Problem += problem // there is no more than one
		}
		return said
	}
	one := read(line, first)
	if !same(one, want) && bytes.Count(line, []byte(`{"`)) > maxReads {
		want = refParse(line, first, false) // the search may have been given up
	}
	other := read(c.others, false)
	two := read(line, first)
	if differ(t, "a line", line, first, one, want) ||
		differ(t, "a line behind another", line, first, two, want) ||
		differ(t, "the other line", c.others, false, other, c.said) {
		return
	}
	page.Reset()
	other = read(c.others, false)
	one = read(line, first)
	if differ(t, "a line on a used page", line, first, one, want) ||
		differ(t, "the other line on a used page", c.others, false, other, c.said) {
		return
	}
	page.Reset()
	ok := p.ParseTail(line, first, page)
	e, wantOK := refParseTail(line, first)
	if ok != wantOK || len(page.Problems) > 0 || len(page.Entries) > 0 != ok || ok && !reflect.DeepEqual(page.Entries[0], e) {
		t.Errorf("ParseTail(%q, %t)\n   = %t, %s\nwant %t, %s", line, first, ok, shown(page.Entries), wantOK, shown([]Entry{e}))
	}
}

func same(a, b reading) bool {
	return a.Problem == b.Problem &&
		slices.EqualFunc(a.Entries, b.Entries, func(a, b Entry) bool { return reflect.DeepEqual(a, b) })
}

func differ(t *testing.T, what string, line []byte, first bool, got, want reading) bool {
	t.Helper()
	if same(got, want) {
		return false
	}
	t.Errorf("%s: Parse(%q, %t)\n   = %q %s\nwant %q %s",
		what, line, first, got.Problem, shown(got.Entries), want.Problem, shown(want.Entries))
	return true
}

// shown is entries with all that they point to, for messages.
func shown(entries []Entry) string {
	text, err := json.Marshal(entries)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// fixtureLines returns the lines of the sessions that are tests of the whole
// program, save those that are long.
func fixtureLines(tb testing.TB) [][]byte {
	tb.Helper()
	files, err := filepath.Glob("../testdata/fixtures/*/projects/*/*.jsonl")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no sessions: %v", err)
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

func TestFixtures(t *testing.T) {
	c := newComparer()
	for i, line := range fixtureLines(t) {
		c.compare(t, line, i == 0)
	}
}
