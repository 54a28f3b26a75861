package transcript

import "bytes"

const (
	// maxRepeats is the number of values that a parser remembers. A session has four.
	maxRepeats = 8
	// maxRepeat is the maximum length of each.
	maxRepeat = 256 << 10
	// minRepeated is the minimum length of a line that is worth shortening.
	minRepeated = 8 << 10
)

// Since Claude Code 2.1.269 a session begins with 110 to 250 kB of prompts and
// descriptions of tools, which do not count. Most sessions have the same. A value that
// was well-formed is well-formed wherever it appears again, and comparing it takes a
// fraction of the time of scanning it.

// A repeats leaves out repeated values of lines.
type repeats struct {
	minLine int
	values  [maxRepeats][]byte // well-formed arrays, the latest first
	line    []byte
}

// shorten returns a line whose prompts and descriptions of tools are replaced by empty
// arrays. It has the same entry as the given line if it is one JSON object, otherwise
// the given line is not one. It returns the given line itself if it has no such
// values. It is valid until the next call.
func (r *repeats) shorten(line []byte) []byte {
	if len(line) < r.minLine || len(line) > maxReusedLine || !startsVerbose(line) {
		return line
	}
	r.line = r.line[:0]
	rest, c := 0, newCursor(line)
	for more := c.enter('{'); more; more = c.more('}') {
		if key := string(c.key()); key != "shape" && key != "attachment" || !c.nextIs('{') {
			c.value()
			continue
		}
		for more := c.enter('{'); more; more = c.more('}') {
			if key := string(c.key()); key != "system" && key != "systemPrompt" && key != "tools" || !c.nextIs('[') {
				c.value()
				continue
			}
			r.line = append(append(r.line, line[rest:c.at]...), "[]"...)
			r.skip(&c)
			rest = max(c.at, rest)
		}
	}
	if rest == 0 {
		return line
	}
	r.line = append(r.line, line[rest:]...)
	return r.line
}

// startsVerbose reports whether a line begins as the entries do that hold prompts and
// descriptions of tools.
func startsVerbose(line []byte) bool {
	start := line[:min(len(line), 256)]
	return bytes.Contains(start, []byte(`"api-request-shape"`)) || bytes.Contains(start, []byte(`"prompt_snapshot"`))
}

// skip skips the next value, an array, and remembers it.
func (r *repeats) skip(c *cursor) {
	last := len(r.values) - 1
	for i, v := range r.values {
		if len(v) > 0 && bytes.HasPrefix(c.b[c.at:], v) {
			c.at += len(v)
			r.moveToFront(i, v)
			return
		}
	}
	if v := c.value(); 0 < len(v) && len(v) <= maxRepeat {
		r.moveToFront(last, append(r.values[last][:0], v...))
	}
}

// moveToFront replaces the value with an index by v, as the latest.
func (r *repeats) moveToFront(i int, v []byte) {
	copy(r.values[1:i+1], r.values[:i])
	r.values[0] = v
}
