package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkText compares the results for a string with these bytes between its quotes with
// encoding/json, and the results for the bytes themselves with unicode/utf8.
func checkText(t *testing.T, inside []byte) {
	t.Helper()
	if got := isUTF8(inside); got != utf8.Valid(inside) {
		t.Errorf("isUTF8(%q) = %t", inside, got)
	}
	repaired := string([]rune(string(inside))) // every invalid byte is U+FFFD
	if got := appendValid([]byte("x"), inside); string(got) != "x"+repaired {
		t.Errorf("appendValid(%q) = %q, want %q", inside, got[1:], repaired)
	}
	if got, want := isPlain(inside), !bytes.ContainsFunc(inside, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf }); got != want {
		t.Errorf("isPlain(%q) = %t", inside, got)
	}
	checkCharSize(t, inside)
	quoted := rawValue(`"` + string(inside) + `"`)
	checkScan(t, quoted)
	var want string
	if json.Unmarshal(quoted, &want) != nil {
		return
	}
	if got := appendText([]byte("x"), inside); string(got) != "x"+want {
		t.Errorf("appendText(%s) = %q, want %q", quoted, got[1:], want)
	}
	equal(t, "str", quoted.str(), want)
	equal(t, "plain", quoted.plain(), want == string(inside) && bytes.IndexByte(inside, '\\') < 0)
	checkSized(t, quoted, want)
	checkIs(t, quoted, want)
	if t.Failed() {
		t.FailNow() // report one string only
	}
}

func checkSized(t *testing.T, quoted rawValue, want string) {
	t.Helper()
	for _, after := range []string{"", "}", `,"content":"`} {
		c := newCursor([]byte(string(quoted) + after))
		v, size := c.content()
		if string(v) != string(quoted) || c.at != len(quoted) || size != len(want) {
			t.Errorf("content(%s) = %s, %d, at %d, want size %d", quoted, v, size, c.at, len(want))
		}
	}
}

func checkIs(t *testing.T, quoted rawValue, text string) {
	t.Helper()
	first := byte(0)
	if text != "" {
		first = text[0]
	}
	if got := quoted.firstByte(); got != first && (got < utf8.RuneSelf || first < utf8.RuneSelf) {
		t.Errorf("firstByte(%s) = %q, want %q", quoted, got, first)
	}
	for _, other := range []string{"", "x", "text", text, text + "x", strings.TrimPrefix(text, "x")} {
		equal(t, "is "+other, quoted.is(other), text == other)
		equal(t, "ends with "+other, quoted.endsWith(other), strings.HasSuffix(text, other))
	}
}

func TestText(t *testing.T) {
	for _, line := range oddLines() {
		checkText(t, []byte(line))
		checkText(t, []byte(strings.Trim(line, `"`)))
	}
	checkText(t, []byte("\ufffd")) // as text it is valid UTF-8
	for c := range 256 {
		checkText(t, []byte{'\\', byte(c)})
		checkText(t, []byte{byte(c)})
		checkText(t, []byte{0xc3, byte(c)})
		checkText(t, []byte{0xed, byte(c), 0x80})
	}
}

// UTF-16 code units, alone and as possible halves of a surrogate pair.
func TestUnescape(t *testing.T) {
	const hexa = "0123456789abcdef0123456789ABCDEF"
	escape := func(u int) string {
		up := 16 * (u & 1)
		return `\u` + string([]byte{hexa[u>>12&15+up], hexa[u>>8&15+up], hexa[u>>4&15], hexa[u&15+up]})
	}
	for u := 0; u < 1<<16; u += 1 + u%7 {
		checkText(t, []byte(escape(u)))
	}
	for u := 0xd7ff; u <= 0xe000; u += 0x3f {
		for v := 0xd7ff; v <= 0xe000; v += 0x3d {
			checkText(t, []byte(escape(u)+escape(v)))
			checkText(t, []byte(escape(u)+"x"+escape(v)))
		}
	}
}

func checkCharSize(t *testing.T, b []byte) {
	t.Helper()
	r, want := utf8.DecodeRune(b)
	if size, ok := charSize(b); size != want || ok != (r != utf8.RuneError || size != 1) {
		t.Fatalf("charSize(%q) = %d, %t; want %d for %U", b, size, ok, want, r)
	}
}

// Every two bytes, and some of each kind after them.
func TestCharSize(t *testing.T) {
	kinds := []byte{0, 'x', 0x7f, 0x80, 0x8f, 0xbf, 0xc0, 0xff}
	for x := range 1 << 16 {
		b := []byte{byte(x >> 8), byte(x)}
		checkCharSize(t, b)
		for _, third := range kinds {
			for _, fourth := range kinds {
				checkCharSize(t, append(b, third, fourth))
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for _, line := range oddLines() {
		f.Add([]byte(strings.Trim(line, `"`)))
	}
	f.Fuzz(func(t *testing.T, inside []byte) { checkText(t, inside) })
}
