package transcript

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// FuzzRepeats compares a parser that leaves repeated values out of lines with a parser
// that does not.
func FuzzRepeats(f *testing.F) {
	for seed := range uint64(3000) {
		f.Add(randomChoices(seed, 1024))
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte) {
		g := &lineGenerator{choices: choices}
		lines := [][]byte{bytes.Clone(g.lineOf("verbose entry")), bytes.Clone(g.lineOf("verbose entry"))}
		for _, line := range slices.Clone(lines) {
			mutated := lineGenerator{choices: g.choices}
			g.choices = g.choices[min(len(g.choices), 32):]
			lines = append(lines, bytes.Clone(mutated.mutated([][]byte{line})), line)
		}
		p, plain := NewParser(), NewParser()
		p.minLine, plain.minLine = 0, math.MaxInt
		for _, line := range lines {
			c.check(t, "repeated line", line, false, parseWith(p, line), parseWith(plain, line))
		}
	})
}

// parseWith parses one line.
func parseWith(p *Parser, line []byte) (r reading) {
	var buffer Buffer
	p.Parse(slices.Clip(bytes.Clone(line)), false, &buffer)
	r.Entries = buffer.Entries
	for _, problem := range buffer.Problems {
		r.Problem += problem
	}
	return r
}

// A long line of which most was in a line before has the same entry, whatever is
// before, after and glued to the repeated values.
func TestRepeats(t *testing.T) {
	tools := `[{"name":"Read","description":"` + strings.Repeat(`Reads a \"file\".\n`, 1000) + `"}]`
	shape := func(session, end string) string {
		return `{"type":"api-request-shape","sessionId":"` + session + `","shape":{"system":[{"text":"x"}],"tools":` + tools + end
	}
	snapshot := `{"parentUuid":null,"attachment":{"type":"prompt_snapshot","systemPrompt":["x"],"tools":` + tools + `},"type":"attachment","sessionId":"s4"}`
	mode := `{"type":"mode","sessionId":"s9"}`
	p, c := NewParser(), newComparer()
	for _, line := range []string{
		shape("s1", "}}"), shape("s2", "}}"), snapshot, snapshot + mode, shape("s3", "}}"+mode), shape("s3", mode), shape("s3", `,"tools":[`+mode), shape("s3", ""),
		strings.TrimSuffix(shape("s3", ""), "]") + mode, shape("s5", "}}"),
	} {
		plain := NewParser()
		plain.minLine = math.MaxInt
		c.check(t, "line", []byte(line), false, parseWith(p, []byte(line)), parseWith(plain, []byte(line)))
	}
	if short := p.shorten([]byte(shape("s6", "}}"))); len(short) > 200 {
		t.Errorf("a repeated line has %d bytes, want few", len(short))
	}
}
