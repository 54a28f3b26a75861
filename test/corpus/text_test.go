package corpus

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// A piece of a text is valid within a JSON string.
func TestTextIsCutBetweenCharacters(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	r := newRNG(1)
	for name, text := range newTexts(r, loadFormat()) {
		t.Run(name, func(t *testing.T) {
			for i := range 1000 {
				size := int(math.Exp(r.Float64() * 9)) // up to 8 kB
				if i%100 == 0 {
					size = 2*supply + i // more than there is
				}
				piece := text.appendTo([]byte(`"`), r, size)
				var s string
				if err := json.Unmarshal(append(piece, '"'), &s); err != nil {
					t.Fatalf("%v: %s", err, piece)
				}
				if strings.Contains(s, "\ufffd") && name != "foreign" {
					t.Fatalf("a character is cut in two: %q", s)
				}
				if n := len(piece) - 1; n == 0 || n > size+100 || size > 500 && n < size-100 {
					t.Fatalf("got %d bytes, want about %d", n, size)
				}
			}
		})
	}
}

func TestEscaped(t *testing.T) {
	r := newRNG(1)
	for _, test := range []struct{ text, want, ascii string }{
		{"", "", ""},
		{"a\"b\\c\n\td", `a\"b\\c\n\td`, `a\"b\\c\n\td`},
		{"\x00\x1b[1m", `\u0000\u001b[1m`, `\u0000\u001b[1m`},
		{"é", "é", `\u00e9`},
		{"字😀", "字😀", `\u5b57\ud83d\ude00`},
	} {
		if got := string(appendEscaped(nil, test.text, r, 0)); got != test.want {
			t.Errorf("%q is escaped as %s, want %s", test.text, got, test.want)
		}
		if got := string(appendEscaped(nil, test.text, r, 100)); got != test.ascii {
			t.Errorf("%q is escaped in ASCII as %s, want %s", test.text, got, test.ascii)
		}
	}
}

// No text contains a phrase by which errors are classified.
func TestTextsContainNoErrors(t *testing.T) {
	for name, text := range newTexts(newRNG(1), loadFormat()) {
		for _, phrase := range []string{"ermission", "requires approval", "Sibling", "parallel tool call", "InputValidation", "No such tool"} {
			if strings.Contains(string(text), phrase) {
				t.Errorf("%s contains %q", name, phrase)
			}
		}
	}
}

func TestQuantiles(t *testing.T) {
	q := quantiles{10, 20, 30, 100, 200, 400, 800, 1600, 3200, 6400}
	r := newRNG(1)
	drawn := make([]int, 100_000)
	for i := range drawn {
		drawn[i] = q.of(r)
	}
	slices.Sort(drawn)
	for i, share := range quantileAt[:len(quantileAt)-1] {
		got, want := float64(drawn[int(share*float64(len(drawn)))]), q[i]
		if got < want*.93-1 || got > want*1.07 {
			t.Errorf("got %v as the %v quantile, want %v", got, share, want)
		}
	}
	if got := drawn[len(drawn)-1]; got > 6400 {
		t.Errorf("got %d as the maximum, want at most 6400", got)
	}
}

// writes returns whether a template is valid and can be written.
func (s *session) writes(source string) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	var tp template
	if err := tp.UnmarshalText([]byte(source)); err != nil {
		return false
	}
	m := &message{}
	s.write(tp, &scope{kind: "user", message: m, usage: &m.usage, callee: &transcript{}, body: func() {}})
	return true
}

func TestInvalidTemplates(t *testing.T) {
	s := latestSession(1)
	for _, invalid := range []string{
		"%{unknown}", "%{prose unknown}", "%{number 1 x}", "%{since 2}x%{end}", "%{if unknown}x%{end}",
		"%{again unknown}", "%{usage unknown}", "%{end}", "x%{else}y",
	} {
		if s.writes(invalid) {
			t.Errorf("%s is accepted", invalid)
		}
	}
	_, templates, _ := strings.Cut(string(formatYAML), "\nwords:")
	for _, tag := range regexp.MustCompile(`%{([a-z]+)[^}]*}`).FindAllStringSubmatch(templates, -1) {
		switch name := tag[1]; name {
		case "end", "else":
		case "since", "chance", "if", "repeat", "save":
			tag[0] += "%{end}"
			fallthrough
		default:
			if !s.writes(tag[0]) {
				t.Errorf("%s is invalid", tag[0])
			}
		}
	}
	for i := range s.Tools {
		if size := s.Tools[i].Time; size != "" && s.Sizes[size] == nil {
			t.Errorf("%s: unknown time %q", s.Tools[i].Name, size)
		}
	}
}
