package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "web 日本": "web 日本", "\x1b[31mred\x07": `\x1b[31mred\a`, "a\nb": `a\nb`, "\u202egnp": `\u202egnp`, "it's": "it's",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// invisible is characters that control a terminal or have no appearance: of C1,
// bidirectional, of no width, line breaks, tags, and a delete.
const invisible = "a\u009b31m\u202eb\u2066\u200b\u200d\ufeff\u2028\u00ad\U000e0041\x7f"

// JSON keeps its values, and has no invisible characters.
func TestJSONWriter(t *testing.T) {
	for _, text := range []string{"", "web", "日本 é 🦀", invisible, "\xff"} {
		var b bytes.Buffer
		in := map[string]string{text: text, "plain": "\\u0041\"\n"}
		if err := json.NewEncoder(JSONWriter{&b}).Encode(in); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(strings.TrimSuffix(b.String(), "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q: got %q", text, &b)
		}
		var out map[string]string
		want := strings.ToValidUTF8(text, "\ufffd")
		if err := json.Unmarshal(b.Bytes(), &out); err != nil || out[want] != want || out["plain"] != in["plain"] {
			t.Errorf("%q: got %q and %v", text, out, err)
		}
	}
}

// Text has no invisible characters except the ends of lines.
func TestTextWriter(t *testing.T) {
	var b bytes.Buffer
	text := "one\n\ntwo " + invisible + "\nrest"
	if n, err := (TextWriter{&b}).Write([]byte(text)); n != len(text) || err != nil {
		t.Errorf("wrote %d of %d bytes: %v", n, len(text), err)
	}
	if want := "one\n\ntwo " + Printable(invisible) + "\nrest"; b.String() != want {
		t.Errorf("got %q, want %q", &b, want)
	}
}

func TestWriterFails(t *testing.T) {
	for _, text := range []string{"plain", invisible} {
		for _, w := range []io.Writer{JSONWriter{broken{}}, TextWriter{broken{}}} {
			if n, err := w.Write([]byte(text)); n != 0 || !errors.Is(err, errFull) {
				t.Errorf("%q: got %d and %v", text, n, err)
			}
		}
	}
}

var errFull = errors.New("full")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errFull }
