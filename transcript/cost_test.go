package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostileLines are made to take long: each returns a line of about n bytes.
func hostileLines() map[string]func(n int) string {
	repeat := strings.Repeat
	user := func(content string) string {
		return `{"type":"user","timestamp":"2026-02-03T04:05:06.789Z","message":{"content":` + content + `}}`
	}
	result := func(content string) string {
		return user(`[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":` + content + `}]`)
	}
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string]func(n int) string{
		"text":               func(n int) string { return user(`"` + repeat("x", n) + `"`) },
		"braces":             func(n int) string { return repeat("{", n) },
		"brackets":           func(n int) string { return `{"a":` + repeat("[", n) },
		"empty objects":      func(n int) string { return repeat("{}", n/2) },
		"empty elements":     func(n int) string { return user(`[` + repeat("{},", n/3) + `{}]`) },
		"strings":            func(n int) string { return user(`[` + repeat(`"",`, n/3) + `"x"]`) },
		"starts":             func(n int) string { return repeat(`{"type":[`, n/9) },
		"starts of strings":  func(n int) string { return repeat(`{"type":"`, n/9) },
		"starts of records":  func(n int) string { return `x` + repeat(`{"type":"a","sessionId":[`, n/25) },
		"starts before text": func(n int) string { return repeat(`{"type":[`, 1000) + `"\x` + repeat("x", n) + `"` },
		"parts of records":   func(n int) string { return `x` + repeat(`{"type":`, n/9) + `1` + repeat(`}`, n/9) },
		"quotes":             func(n int) string { return `{"a":"` + repeat(`"`, n) },
		"backslashes":        func(n int) string { return `{"a":"` + repeat(`\`, n) },
		"escaped quotes":     func(n int) string { return user(`"` + repeat(`\"`, n/2) + `"`) },
		"escapes in keys":    func(n int) string { return `{` + repeat(`"\u0061\n":1,`, n/12) + `"a":1}` },
		"units":              func(n int) string { return result(`"` + repeat(`\ud83d`, n/6) + `"`) },
		"no UTF-8":           func(n int) string { return result(`"` + repeat("\xff", n) + `"`) },
		"numbers":            func(n int) string { return `{"a":` + repeat("1", n) + `}` },
		"long count": func(n int) string {
			return `{"type":"system","subtype":"turn_duration","durationMs":` + repeat("1", n) + `}`
		},
		"messages":          func(n int) string { return `{"type":"user",` + repeat(`"message":{"content":["x"]},`, n/27) + `"a":1}` },
		"contents":          func(n int) string { return user(`1,` + repeat(`"content":["x"],`, n/16) + `"content":"x"`) },
		"prompt of keys":    func(n int) string { return user(`["x",{` + numbered(n, `"%d":1,`) + `"a":1}]`) },
		"prompt of one key": func(n int) string { return user(`["x",{` + repeat(`"a":1,`, n/6) + `"a":1}]`) },
		"deep prompt": func(n int) string {
			return user(`["x"` + repeat(`,`+repeat(`[`, maxDepth-3)+repeat(`]`, maxDepth-3), n/(2*maxDepth)) + `]`)
		},
		"parts of a result": func(n int) string { return result(`[` + repeat(`{"text":""},`, n/12) + `1]`) },
		"calls": func(n int) string {
			return `{"type":"assistant","message":{"content":[` + repeat(`{"type":"tool_use"},`, n/20) + `1]}}`
		},
		"advisors": func(n int) string {
			return `{"type":"assistant","message":{"usage":{"iterations":[` + repeat(`{"type":"advisor_message"},`, n/27) + `1]}}}`
		},
		"patch":         func(n int) string { return result(`1}],"a":[{"a":1`)[:0] + patched(n) },
		"interruptions": func(n int) string { return user(`[` + repeat(`{"type":"text","text":"  x"},`, n/29) + `1]`) },
		"white space":   func(n int) string { return `{` + repeat(" ", n) + `}` },
		"NULs":          func(n int) string { return `{}` + repeat("\x00", n) + `{}` },
		"names":         func(n int) string { return numbered(n, `{"cwd":"/%d"}`) },
		"sessions":      func(n int) string { return numbered(n, `{"sessionId":"%d"}`) },
	}
}

func patched(n int) string {
	return `{"type":"user","toolUseResult":{"structuredPatch":[` + strings.Repeat(`{"lines":["+a"]},`, n/17) +
		`1]},"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}`
}

func TestZ(t *testing.T) {
	for name, make := range hostileLines() {
		var out string
		for _, n := range []int{1 << 18, 1 << 20, 1 << 22} {
			line := []byte(make(n))
			best := time.Hour
			p, page := NewParser(), &Page{}
			for range 3 {
				start := time.Now()
				page.Reset()
				p.Parse(line, false, page)
				best = min(best, time.Since(start))
			}
			out += fmt.Sprintf(" %8.2f ms %6.0f MB/s", float64(best)/1e6, float64(len(line))/float64(best)*1e3)
		}
		fmt.Printf("%-20s %s\n", name, out)
	}
}
