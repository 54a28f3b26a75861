package corpus

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// Whatever is cut out of a text is whole within a JSON string.
func TestTextIsCutWhereItMayBe(t *testing.T) {
	d := newDice(1)
	all := newTexts(d)
	for name, text := range map[string]*text{
		"prose": &all.prose, "code": &all.code, "numbered": &all.numbered, "output": &all.output,
		"listing": &all.listing, "data": &all.data, "world": &all.world,
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 1000 {
				size := int(math.Exp(d.Float64() * 9)) // to 8 kB
				if i%100 == 0 {
					size = 2*supply + i // more than there is
				}
				piece := text.appendTo([]byte(`"`), d, size)
				var s string
				if err := json.Unmarshal(append(piece, '"'), &s); err != nil {
					t.Fatalf("%v: %s", err, piece)
				}
				if strings.Contains(s, "\ufffd") && name != "world" {
					t.Fatalf("a character is cut in two: %q", s)
				}
				if n := len(piece) - 1; n == 0 || n > size+100 || size > 500 && n < size-100 {
					t.Fatalf("%d bytes instead of %d", n, size)
				}
			}
		})
	}
}

func TestEscaped(t *testing.T) {
	always, never := func() bool { return true }, func() bool { return false }
	for _, test := range []struct{ text, want, ascii string }{
		{"", "", ""},
		{"a\"b\\c\n\td", `a\"b\\c\n\td`, `a\"b\\c\n\td`},
		{"\x00\x1b[1m", `\u0000\u001b[1m`, `\u0000\u001b[1m`},
		{"é", "é", `\u00e9`},
		{"字😀", "字😀", `\u5b57\ud83d\ude00`},
	} {
		if got := string(appendEscaped(nil, test.text, never)); got != test.want {
			t.Errorf("%q becomes %s, want %s", test.text, got, test.want)
		}
		if got := string(appendEscaped(nil, test.text, always)); got != test.ascii {
			t.Errorf("%q in ASCII becomes %s, want %s", test.text, got, test.ascii)
		}
	}
}

func TestEscapedLines(t *testing.T) {
	for _, test := range []struct {
		escaped string
		want    int
	}{
		{``, 0},
		{`a`, 1},
		{`a\n`, 1},
		{`a\nb`, 2},
		{`\n\n`, 2},
		{`a\\nb`, 1},
		{`a\\\nb`, 2},
		{`\"\t\u000a`, 1},
	} {
		if got := escapedLines([]byte(test.escaped)); got != test.want {
			t.Errorf("%s has %d lines, want %d", test.escaped, got, test.want)
		}
	}
}

// The words of texts must not be those by which something is told.
func TestTextsTellNothing(t *testing.T) {
	all := newTexts(newDice(1))
	for _, text := range []*text{&all.prose, &all.code, &all.numbered, &all.output, &all.listing, &all.data, &all.world} {
		for _, phrase := range []string{"ermission", "requires approval", "Sibling", "parallel tool call", "InputValidation", "No such tool"} {
			if strings.Contains(string(text.bytes), phrase) {
				t.Errorf("a text has %q", phrase)
			}
		}
	}
}

func TestQuantiles(t *testing.T) {
	q := quantiles{10, 20, 30, 100, 200, 400, 800, 1600, 3200, 6400}
	d := newDice(1)
	drawn := make([]int, 100_000)
	for i := range drawn {
		drawn[i] = q.of(d)
	}
	slices.Sort(drawn)
	for i, share := range quantileAt[:len(quantileAt)-1] {
		got, want := float64(drawn[int(share*float64(len(drawn)))]), q[i]
		if got < want*.93-1 || got > want*1.07 {
			t.Errorf("%v of the values are below %v, want %v", share, got, want)
		}
	}
	if got := drawn[len(drawn)-1]; got > 6400 {
		t.Errorf("the largest is %d", got)
	}
}

func TestWriteTSV(t *testing.T) {
	truth := Truth{totals: map[series]int64{
		{"tool_calls", "name=b\\\n\t\rc"}: 2,
		{"tool_calls", "name=a"}:          1,
		{"tool_calls", "name=none"}:       0,
		{"tokens", "model=m,type=input"}:  0,
		{"sessions", ""}:                  0,
	}}
	var b strings.Builder
	if err := truth.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	const want = "sessions\t\t0\n" + "tokens\tmodel=m,type=input\t0\n" + "tool_calls\tname=a\t1\n" + `tool_calls` + "\t" + `name=b\\\n\t\rc` + "\t2\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// Two prompts of one time and text would be taken for one.
func TestEveryPromptHasItsMoment(t *testing.T) {
	w := newWorld(1)
	seen := make(map[int64]bool)
	for range 3 {
		for at := int64(100); at < 103; at++ {
			chat := &thread{file: &file{world: w, now: at}}
			chat.person()
			if seen[chat.now] || chat.now < at {
				t.Errorf("the moment of %d is %d", at, chat.now)
			}
			seen[chat.now] = true
		}
	}
}
