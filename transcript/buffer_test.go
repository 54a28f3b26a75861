package transcript

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// A buffer keeps all entries while it grows, also when its memory is reused.
func TestBufferReuse(t *testing.T) {
	lines := fixtureLines(t)
	p, buffer := NewParser(), &Buffer{}
	for round := range 3 {
		buffer.Reset()
		for i := range reflect.TypeFor[Buffer]().NumField() {
			equal(t, "length of a slice of an empty buffer", reflect.ValueOf(buffer).Elem().Field(i).Len(), 0)
		}
		var want reading
		var problems []Problem
		for _, line := range lines {
			p.Parse(line, false, buffer)
			parsed := refParse(line, false, true)
			want.Entries = append(want.Entries, parsed.Entries...)
			if parsed.Problem != None {
				problems = append(problems, parsed.Problem)
			}
		}
		newComparer().check(t, fmt.Sprintf("round %d", round), nil, false, reading{Entries: buffer.Entries}, want)
		equal(t, "problems", buffer.Problems, problems)
	}
}

// Strings of entries stay valid when the buffer is reused.
func TestBufferStringsStay(t *testing.T) {
	var buffer Buffer
	p := NewParser()
	p.Parse([]byte(wholeSession), false, &buffer)
	entries := append([]Entry(nil), buffer.Entries...)
	want := refParse([]byte(wholeSession), false, true)
	buffer.Reset()
	p.Parse([]byte(strings.Repeat(`{"type":"user","cwd":"/other","sessionId":"other"}`, len(entries))), false, &buffer)
	for i := range entries {
		equal(t, "working directory", entries[i].CWD, want.Entries[i].CWD)
		equal(t, "session", entries[i].SessionID, want.Entries[i].SessionID)
	}
}

// Appending to a slice of an entry must not change the next entry.
func TestBufferSlicesAreClipped(t *testing.T) {
	var buffer Buffer
	p := NewParser()
	line := []byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a"},{"type":"x_tool_result","tool_use_id":"b"}],"usage":{"iterations":[{"type":"advisor_message"}]}}}`)
	for range 2 { // the second time there is room for everything
		buffer.Reset()
		p.Parse(line, false, &buffer)
		p.Parse(line, false, &buffer)
	}
	want := parse(line, false).Entries[0]
	first := &buffer.Entries[0]
	_ = append(first.Uses, ToolUse{Name: "x"})
	_ = append(first.Results, ToolResult{Bytes: 1})
	_ = append(first.Message.Iterations, Iteration{Model: "x"})
	if !reflect.DeepEqual(buffer.Entries[1], want) {
		t.Errorf("the second entry:\n%s", difftest.Diff(want, buffer.Entries[1]))
	}
}

// Memory that only a hostile line needs is not retained.
func TestBufferReleasesHostileMemory(t *testing.T) {
	for name, line := range map[string]string{
		"results":  `{"type":"user","message":{"content":[` + strings.Repeat(`{"type":"tool_result","tool_use_id":"t"},`, maxParts) + `1]}}`,
		"calls":    `{"type":"assistant","message":{"content":[` + strings.Repeat(`{"type":"tool_use","id":"t"},`, maxParts) + `1]}}`,
		"advisors": `{"type":"assistant","message":{"usage":{"iterations":[` + strings.Repeat(`{"type":"advisor_message"},`, maxParts) + `1]}}}`,
		"reports":  `{"type":"cost-state","sessionId":"s","modelUsage":{` + manyModels() + `"x":1}}`,
		"entries":  strings.Repeat(`{}`, maxEntries) + `x`,
	} {
		t.Run(name, func(t *testing.T) {
			var buffer Buffer
			NewParser().Parse([]byte(line), false, &buffer)
			buffer.Reset()
			for i := range reflect.TypeFor[Buffer]().NumField() {
				equal(t, "capacity of a slice", reflect.ValueOf(buffer).Field(i).Cap(), 0)
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
			t.Fatalf("got %d interned strings, want at most %d", len(in), maxInterned)
		}
	}
	long := strings.Repeat("x", maxInternedLen+1)
	for n := range maxInternedLen + 2 {
		equal(t, "long string", in.string([]byte(long[:n])), long[:n])
		if _, ok := in[long[:n]]; ok != (n <= maxInternedLen) {
			t.Errorf("a string of %d bytes is interned: %t", n, ok)
		}
	}
	b := []byte("name")
	s := in.string(b)
	b[0] = 'x'
	equal(t, "string after its bytes changed", s, "name")
}

// manyModels is the start of an object with as many members as are read.
func manyModels() string {
	var b strings.Builder
	for i := range maxParts {
		fmt.Fprintf(&b, `"m%d":{},`, i)
	}
	return b.String()
}
