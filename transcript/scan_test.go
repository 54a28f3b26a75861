package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// checkScan compares scanValue with encoding/json.
func checkScan(t *testing.T, b []byte) {
	t.Helper()
	want, ok := refEnd(b)
	got := scanValue(b, 0)
	if ok && got != want || !ok && (got >= 0 || ^got > len(b)) {
		t.Errorf("scanValue(%q) = %d, want %d, %t", b, got, want, ok)
	}
	m := marker{enabled: canMark()}
	if s := (scanner{b: b, marks: m.mark(b)}); s.scanValue(0, 0) != got {
		t.Errorf("scanValue(%q) with marks = %d, want %d", b, s.scanValue(0, 0), got)
	}
	start := scanSpace(b, 0)
	end := scanValue(b, start)
	if valid := end >= 0 && scanSpace(b, end) == len(b); valid != json.Valid(b) {
		t.Errorf("%q is valid: %t, want %t", b, valid, !valid)
	}
}

func TestScanValue(t *testing.T) {
	for _, line := range oddLines() {
		for i := range len(line) + 1 {
			checkScan(t, []byte(line[:i]))
		}
		checkScan(t, []byte(line+" "))
		checkScan(t, []byte("["+line+"]"))
		checkScan(t, []byte(`{"a":`+line+`,"`+line+`":0}`))
	}
}

// Every sequence of three tokens, alone, in an array and in an object.
func TestScanTokens(t *testing.T) {
	tokens := []string{
		``, ` `, `{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"`, `\`, `1`, `-`, `.`, `e`, `+`, `0`, `true`, `tru`, `false`, `null`, `nul`, "\x00", "\xff",
	}
	for _, a := range tokens {
		for _, b := range tokens {
			for _, c := range tokens {
				for _, around := range []string{"%s%s%s", "[%s%s%s]", "{%s%s%s}", `{"a":%s%s%s}`, `["a"%s%s%s`} {
					checkScan(t, fmt.Appendf(nil, around, a, b, c))
				}
			}
		}
	}
}

// Strings are scanned eight bytes at a time, so the position of a byte and its
// neighbours might matter.
func TestScanStringPositions(t *testing.T) {
	odd := []string{`"`, `\"`, `\\`, `\`, `\u00e9`, `\u00eg`, `\ud83d\ude00`, "\x00", "\x1f", " ", "\x7f", "\x80", "\xff", "é", "\xe0"}
	for length := range 101 {
		plain := strings.Repeat("x", length)
		checkScan(t, []byte(`"`+plain+`"`))
		checkScan(t, []byte(`"`+plain))
		checkScan(t, []byte(`{"`+plain+`":"`+plain+`"}`))
	}
	for _, length := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 23, 24, 25, 39, 40, 46, 47, 48, 49, 50, 56, 65} {
		for i := range length + 1 {
			for _, what := range odd {
				inside := strings.Repeat("x", i) + what + strings.Repeat("y", length-i)
				checkScan(t, []byte(`"`+inside+`"`))
				checkScan(t, []byte(`"`+inside))
				checkScan(t, []byte(`{"`+inside+`":1}`))
				checkText(t, []byte(inside))
			}
		}
	}
}

// Two special bytes within a few words: only the first ends the scan.
func TestScanStringPairs(t *testing.T) {
	odd := []byte{'"', '\\', 0, 0x1f, ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xdc, 0xff}
	for _, a := range odd {
		for _, b := range odd {
			for i := range 16 {
				for j := i + 1; j < 17; j++ {
					inside := bytes.Repeat([]byte("x"), 20)
					inside[i], inside[j] = a, b
					checkScan(t, []byte(`"`+string(inside)+`"`))
					checkText(t, inside)
				}
			}
		}
	}
}

func TestSurvey(t *testing.T) {
	for length := range 40 {
		for c := range 256 {
			for i := range length {
				for _, others := range []byte{' ', '\x7f', '\xff'} {
					b := bytes.Repeat([]byte{others}, length)
					b[i] = byte(c)
					control, high := survey(b)
					if control != (c < ' ') || high != (c > 0x7f || others > 0x7f && length > 1) {
						t.Fatalf("survey(%q) = %t, %t", b, control, high)
					}
				}
			}
		}
	}
}

func TestScanDepth(t *testing.T) {
	for _, nest := range [][2]string{{"[", "]"}, {`{"a":`, "}"}, {"[[", "]]"}, {`[{"a":`, "}]"}} {
		for _, depth := range []int{maxDepth/2 - 1, maxDepth / 2, maxDepth/2 + 1, maxDepth - 1, maxDepth, maxDepth + 1} {
			checkScan(t, []byte(strings.Repeat(nest[0], depth)+"1"+strings.Repeat(nest[1], depth)))
			checkScan(t, []byte(strings.Repeat(nest[0], depth)))
		}
	}
}

// A failed scan returns how far it has read, so that the search for records can be
// limited.
func TestScanReturnsHowFarItRead(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tt := range []struct {
		text string
		want int
	}{
		{`"` + long, 101},
		{`"` + long + `\x` + long + `"`, 203},
		{`"` + long + `\u12x` + long + `"`, 206},
		{`"\x` + long + `"`, 103},
		{`"\"\x` + long + `"` + long, 105},
		{`"` + long + "\x00" + long + `"`, 202},
		{`{"a":[1,"\x` + long + `"`, 111},
		{`[true,tru]`, 6},
		{`[1 2]`, 3},
	} {
		if got := scanValue([]byte(tt.text), 0); got != ^tt.want {
			t.Errorf("scanValue(%q) = %d, want ^%d", tt.text, got, tt.want)
		}
	}
}

// Values that are entered are validated like values that are skipped.
func TestEnteredLikeSkipped(t *testing.T) {
	c := newComparer()
	for _, value := range oddLines() {
		if len(value) > 40 {
			continue
		}
		for _, around := range []string{
			`{"type":"assistant","message":%s}`, `{"type":"assistant","message":{"usage":%s,"id":"m"}}`, `{"type":"user","message":{"content":%s}}`,
			`{"type":"user","message":{"content":[%s,"x"]}}`, `{"type":"user","message":{"content":["x",%s]}}`, `{"type":"user","message":{"content":[{"content":%s}]}}`,
			`{"type":"user","toolUseResult":%s,"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}`,
			`{"type":"assistant","message":{"usage":{"iterations":%s,"cache_creation":%[1]s}}}`, `{"type":"attachment","attachment":%s}`, `{"type":"assistant","message":{"usage":{"iterations":[%s]}}}`, `{"type":"system","subtype":"api_error","error":%s}`,
		} {
			c.compare(t, fmt.Appendf(nil, around, value), false)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, line := range oddLines() {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkScan(t, b) })
}
