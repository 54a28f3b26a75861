package transcript

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A page keeps everything that was put on it while it grows, and the strings of it
// also when it is used again.
func TestPageReuse(t *testing.T) {
	lines := fixtureLines(t)
	p, page := NewParser(), &Buffer{}
	for round := range 3 {
		page.Reset()
		for i := range reflect.TypeFor[Buffer]().NumField() {
			equal(t, "length of a part of an empty page", reflect.ValueOf(page).Elem().Field(i).Len(), 0)
		}
		var want reading
		var problems []Problem
		for _, line := range lines {
			p.Parse(line, false, page)
			said := refParse(line, false, true)
			want.Entries = append(want.Entries, said.Entries...)
			if said.Problem != None {
				problems = append(problems, said.Problem)
			}
		}
		differ(t, fmt.Sprintf("round %d", round), nil, false, reading{Entries: page.Entries}, want)
		equal(t, "problems", page.Problems, problems)
	}
}

func TestPageStringsStay(t *testing.T) {
	var page Buffer
	p := NewParser()
	p.Parse([]byte(wholeSession), false, &page)
	entries := append([]Entry(nil), page.Entries...)
	said := refParse([]byte(wholeSession), false, true)
	page.Reset()
	p.Parse([]byte(strings.Repeat(`{"type":"user","cwd":"/other","sessionId":"other"}`, len(entries))), false, &page)
	for i := range entries {
		equal(t, "working directory", entries[i].CWD, said.Entries[i].CWD)
		equal(t, "session", entries[i].SessionID, said.Entries[i].SessionID)
	}
}

// What is appended behind a part of a page must not change the next part.
func TestPartsOfAPageEnd(t *testing.T) {
	var page Buffer
	p := NewParser()
	line := []byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a"},{"type":"x_tool_result","tool_use_id":"b"}],"usage":{"iterations":[{"type":"advisor_message"}]}}}`)
	for range 2 { // the second time there is room for everything
		page.Reset()
		p.Parse(line, false, &page)
		p.Parse(line, false, &page)
	}
	want := parse(line, false).Entries[0]
	first := &page.Entries[0]
	_ = append(first.Uses, ToolUse{Name: "x"})
	_ = append(first.Results, ToolResult{Bytes: 1})
	_ = append(first.Message.Iterations, Iteration{Model: "x"})
	if !reflect.DeepEqual(page.Entries[1], want) {
		t.Errorf("the second entry = %+v, want %+v", page.Entries[1], want)
	}
}

// What a line needs that holds more than any other is not kept for the next ones;
// what usual lines need is.
func TestPageKeepsNoHostileMemory(t *testing.T) {
	for name, line := range map[string]string{
		"results":  `{"type":"user","message":{"content":[` + strings.Repeat(`{"type":"tool_result","tool_use_id":"t"},`, maxBlocks) + `1]}}`,
		"calls":    `{"type":"assistant","message":{"content":[` + strings.Repeat(`{"type":"tool_use","id":"t"},`, maxBlocks) + `1]}}`,
		"advisors": `{"type":"assistant","message":{"usage":{"iterations":[` + strings.Repeat(`{"type":"advisor_message"},`, maxBlocks) + `1]}}}`,
		"reports":  `{"type":"cost-state","sessionId":"s","modelUsage":{` + manyModels() + `"x":1}}`,
		"entries":  strings.Repeat(`{}`, maxEntries) + `x`,
	} {
		t.Run(name, func(t *testing.T) {
			var page Buffer
			NewParser().Parse([]byte(line), false, &page)
			page.Reset()
			for i := range reflect.TypeFor[Buffer]().NumField() {
				equal(t, "room of a part", reflect.ValueOf(page).Field(i).Cap(), 0)
			}
		})
	}
}

func TestIntern(t *testing.T) {
	in := make(interner)
	for i := range 3 * maxInterned {
		name := fmt.Sprintf("name %d", i)
		equal(t, "string", in.string([]byte(name)), name)
		if len(in) > maxInterned {
			t.Fatalf("%d strings are remembered, want at most %d", len(in), maxInterned)
		}
	}
	long := strings.Repeat("x", maxInternedLen+1)
	for n := range maxInternedLen + 2 {
		equal(t, "long string", in.string([]byte(long[:n])), long[:n])
		if _, ok := in[long[:n]]; ok != (n <= maxInternedLen) {
			t.Errorf("a string of %d bytes is remembered: %t", n, ok)
		}
	}
	b := []byte("name")
	s := in.string(b)
	b[0] = 'x'
	equal(t, "string after its bytes changed", s, "name")
}

// manyModels is the beginning of an object with as many members as are read of one.
func manyModels() string {
	var b strings.Builder
	for i := range maxBlocks {
		fmt.Fprintf(&b, `"m%d":{},`, i)
	}
	return b.String()
}
