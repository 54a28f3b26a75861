package top

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/usage"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var now = time.Date(2026, 3, 2, 12, 34, 56, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// sample are sessions with typical numbers, and some without.
func sample() Data {
	today := &usage.Usage{Measures: []usage.Measure{usage.Cost}}
	today.Total[usage.Cost], today.Total[usage.InputTokens], today.Total[usage.Requests] = 12_340_000_000, 1_234_567, 345
	return Data{Today: today, Sessions: api.Sessions{Time: now, Live: 2, Sessions: []api.Session{
		{
			ID: "0b6cf7aa-5d3f-4f7e-9a60-2d2f2e1f8a11", Project: "web", Live: true, Model: "claude-opus-4-8", ContextTokens: 170_000, Last: ago(3 * time.Second),
			Requests: 120, ToolCalls: 87, ToolErrors: 2, InputTokens: 1200, OutputTokens: 41_000, CacheReadTokens: 5_100_000, CacheWrite1hTokens: 160_000, CostUSD: new(5.183),
		},
		{
			ID: "77e0c1d2-0000-4f7e-9a60-2d2f2e1f8a11", Project: "a-project-with-a-long-name", Live: true, Model: "claude-sonnet-5", ContextTokens: 48_210, ContextWindow: 1_000_000, Last: ago(2 * time.Minute),
			Requests: 9, OutputTokens: 900, InputTokens: 10, CostUSD: new(0.001), UnpricedTokens: 7,
		},
		{Project: "api", Last: ago(5 * time.Hour), Requests: 1, CostUSD: new(1234.0), UnpricedTokens: 7},
		{Project: "old", Last: ago(50 * time.Hour), Requests: 1},
		{Project: "never", Requests: 1},
		{Project: "idle", Last: ago(time.Second), Live: true, Prompts: 1, ContextTokens: 1000},
	}}}
}

// someLimits belong to an account with a label and an account without.
var someLimits = []api.Window{
	{Name: "five_hour", UsedRatio: 0.42, Resets: now.Add(133 * time.Minute), Labels: map[string]string{"user": "ann\x1b"}},
	{Name: "five_hour", UsedRatio: 0.97, Resets: now.Add(time.Minute)},
	{Name: "seven_day_opus", UsedRatio: 0.18},
}

// screen returns the lines of a view as text, without spaces at their ends.
func screen(v *view, width, height int) string {
	var b strings.Builder
	for _, l := range v.lines(width, height, now) {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

// The screens of some sizes equal the files in testdata. Run the test with -update to
// write them, and review the diff.
func TestScreens(t *testing.T) {
	for _, tt := range []struct {
		name          string
		width, height int
		change        func(*view)
	}{
		{"80x12", 80, 12, func(*view) {}},
		{"40x10", 40, 10, func(*view) {}},
		{"160x9", 160, 9, func(*view) {}},
		{"100x8", 100, 8, func(v *view) { v.press("c"); v.press("i"); v.data.Today = nil }},
		{"80x9", 80, 9, func(v *view) { v.failure = errors.New("connect to ccwatchd:\n\x1b[31mrefused") }},
		{"80x7", 80, 7, func(v *view) { v.data = Data{} }},
		{"80x8", 80, 8, func(v *view) { v.data.Limits = &api.Limits{Time: now, Windows: someLimits} }},
		{"60x6", 60, 6, func(v *view) { v.data = Data{Sessions: api.Sessions{Time: now, Since: ago(12 * time.Hour)}} }},
	} {
		v := &view{data: sample(), received: now}
		tt.change(v)
		difftest.Golden(t, filepath.Join("testdata", tt.name+".txt"), screen(v, tt.width, tt.height))
	}
}

// hostile are sessions with names that would change the terminal, and huge numbers.
func hostile() Data {
	const most = math.MaxUint64
	names := []string{
		"\x1b[2J\x1b]0;owned\x07", "a\nb\tc", "\u202egnp.exe", strings.Repeat("界", 50), strings.Repeat("e\u0301", 60), "👩‍👩‍👧‍👧👍🏽", "\x9b31m", "\u2028\u200b", "\xff\xfe",
	}
	d := Data{Sessions: api.Sessions{Time: now, Live: math.MaxInt}}
	for _, name := range names {
		d.Sessions.Sessions = append(d.Sessions.Sessions, api.Session{
			ID: name, Project: name, Model: name, Live: true, ContextTokens: most, Last: ago(math.MaxInt64), Requests: most, Prompts: most, ToolCalls: most,
			ToolErrors: most, InputTokens: most, OutputTokens: most, CacheReadTokens: most, CostUSD: new(math.MaxFloat64), UnpricedTokens: most,
		})
	}
	return d
}

// Whatever the sessions and the size, no line is longer than the screen and none has
// control characters.
func TestScreenFits(t *testing.T) {
	for name, d := range map[string]Data{"sample": sample(), "hostile": hostile(), "empty": {}} {
		for width := 1; width <= 200; width++ {
			for _, height := range []int{0, 1, 2, 3, 4, 5, 8, 24, 60} {
				v := &view{data: d, received: now, failure: errors.New("\x1bno")}
				lines := v.lines(width, height, now)
				if len(lines) > height {
					t.Fatalf("%s, %dx%d: got %d lines", name, width, height, len(lines))
				}
				for _, l := range lines {
					text := l.String()
					if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
						t.Fatalf("%s, %dx%d: %q is not printable at %d", name, width, height, text, i)
					}
					if got := terminal.Width(text); got > width {
						t.Fatalf("%s, %dx%d: got a line of %d columns: %q", name, width, height, got, text)
					}
				}
			}
		}
	}
}

// The block of five hours is shown unless that limit is known.
func TestLimits(t *testing.T) {
	at := time.Date(2026, 3, 2, 11, 0, 0, 0, time.Local)
	block := &api.Block{Start: at, End: at.Add(5 * time.Hour), CostUSD: new(5.0), Tokens: 90_210}
	unpriced := &api.Block{Start: at, End: at.Add(5 * time.Hour), Tokens: 90_210}
	for want, l := range map[string]api.Limits{
		"":            {},
		"5h 97% (1m)": {Windows: someLimits[1:2], Block: block},
		"7d opus 18%, 5h block $5.00 (11:00-16:00)": {Windows: someLimits[2:], Block: block},
		"5h block 90.2k tokens (11:00-16:00)":       {Block: unpriced},
	} {
		l.Time = now
		if got := strings.Join(LimitTexts(&l), ", "); got != want {
			t.Errorf("windows %+v, block %+v: got %q, want %q", l.Windows, l.Block, got, want)
		}
	}
}

// An empty list states the reason, if there are no sessions at all.
func TestEmpty(t *testing.T) {
	v := &view{data: Data{Sessions: api.Sessions{Since: time.Unix(1, 0)}}}
	for empty, want := range map[string]string{
		"": "No sessions. --since=all shows older ones.", "The daemon has found no sessions in /p": "The daemon has found no sessions in /p.",
	} {
		v.data.Empty = empty
		if got := v.nothing(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Every order sorts by its number, the largest first, and its key inverts nothing.
func TestOrders(t *testing.T) {
	for key, want := range map[string]string{
		"a": "web a-project-with-a-long-name api old never",
		"c": "api web a-project-with-a-long-name old never",
		"t": "web a-project-with-a-long-name api old never",
		"x": "web a-project-with-a-long-name api old never",
		"r": "web a-project-with-a-long-name api old never",
		"e": "web a-project-with-a-long-name api old never",
		"p": "a-project-with-a-long-name api never old web",
	} {
		for _, inverted := range []bool{false, true} {
			v := &view{data: sample(), received: now, reverse: true}
			if !v.press(key) {
				t.Fatalf("key %s is unknown", key)
			}
			names := strings.Fields(want)
			if inverted {
				v.press("i")
				slices.Reverse(names)
			}
			var got []string
			for _, r := range v.rows(now) {
				got = append(got, r.Project)
			}
			if inverted && !slices.Contains([]string{"a", "p"}, key) {
				got, names = got[len(got)-1:], names[len(names)-1:] // equal sessions keep their order
			}
			if !slices.Equal(got, names) {
				t.Errorf("key %s, inverted %v: got %q, want %q", key, inverted, got, names)
			}
		}
	}
	if v := (&view{}); v.press("z") {
		t.Error("z is a known key")
	}
}

// A screen that is too small for all sessions shows some, which keys move.
func TestScroll(t *testing.T) {
	d := Data{Sessions: api.Sessions{Time: now}}
	for i := range 20 {
		d.Sessions.Sessions = append(d.Sessions.Sessions, api.Session{Project: fmt.Sprint("p", i), Requests: 1})
	}
	v := &view{data: d, received: now}
	shown := func() (first, last string) {
		lines := v.lines(80, 9, now) // with five sessions
		return strings.Fields(lines[3].String())[0], strings.Fields(lines[7].String())[0]
	}
	for _, tt := range []struct{ keys, first, last string }{
		{"", "p0", "p4"},
		{"down", "p1", "p5"},
		{"pgdn", "p5", "p9"},
		{"up", "p4", "p8"},
		{"end", "p15", "p19"},
		{"down", "p15", "p19"},
		{"pgup", "p11", "p15"},
		{"home", "p0", "p4"},
		{"up", "p0", "p4"},
	} {
		v.press(tt.keys)
		if first, last := shown(); first != tt.first || last != tt.last {
			t.Errorf("after %s: got %s to %s, want %s to %s", tt.keys, first, last, tt.first, tt.last)
		}
	}
}

// Ages grow between two responses, by the clock of the daemon.
func TestAge(t *testing.T) {
	v := &view{data: sample(), received: now.Add(time.Hour)} // this clock is ahead
	for later, want := range map[time.Duration]string{0: "3s", 57 * time.Second: "1m", 3 * time.Hour: "3h", -time.Hour: "3s"} {
		if got := v.rows(now.Add(time.Hour + later))[0].age(); got != want {
			t.Errorf("%s later: got %s, want %s", later, got, want)
		}
	}
}

// The context window is the stated one, or the next size that a model has.
func TestFullness(t *testing.T) {
	for _, tt := range []struct {
		context, stated uint64
		want            look
		bar             string
	}{
		{0, 200_000, plain, ""},
		{100_000, 0, plain, "████      50%"},
		{160_000, 0, warning, "██████▍   80%"},
		{199_999, 0, alarm, "████████  99%"},
		{200_000, 0, alarm, "████████100%"},
		{678_000, 0, plain, "█████▍    67%"},
		{1_000_001, 0, plain, ""},
		{100_000, 1_000_000, plain, "▊         10%"},
		{250_000, 500_000, plain, "████      50%"},
		{678_000, 200_000, plain, "█████▍    67%"}, // before the next report
		{2_000_000, 4_000_000, plain, "████      50%"},
	} {
		r := row{&api.Session{ContextTokens: tt.context, ContextWindow: tt.stated, Model: "opus"}, now}
		if got := strings.Join(strings.Fields(r.bar()), " "); r.fullness() != tt.want || got != strings.Join(strings.Fields(tt.bar), " ") {
			t.Errorf("%+v: got look %d and %q", tt, r.fullness(), r.bar())
		}
	}
}

// A daemon of an older version states no window.
func TestContextOfModel(t *testing.T) {
	r := row{&api.Session{ContextTokens: 170_000, Model: "claude-opus-5-5"}, now}
	if got := strings.TrimSpace(r.bar()); !strings.HasSuffix(got, " 17%") || r.fullness() != plain {
		t.Errorf("got %q", got)
	}
}

// The printed table is the same without a width limit, and has no control characters.
func TestPrint(t *testing.T) {
	var b strings.Builder
	if err := Print(&b, sample(), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ccwatchd  2 live  5 shown", "TOOLS", "HIT", "0b6cf7aa", "a-project-with-a-long-name", "$1,234+", "$5.18 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := Print(&b, hostile(), 60); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, unicode.IsControl) || terminal.Width(line) > 60 {
			t.Errorf("got %q", line)
		}
	}
}

// A price of 0 is known, a lower bound has a plus sign, and so has the cost of today.
func TestCost(t *testing.T) {
	for want, s := range map[string]api.Session{
		"$0.00":  {CostUSD: new(0.0), OutputTokens: 1},
		"$5.02":  {CostUSD: new(5.02)},
		"$5.02+": {CostUSD: new(5.02), UnpricedTokens: 1},
		none:     {CostUSD: new(0.0), UnpricedTokens: 1},
	} {
		if got := (&row{Session: &s}).cost(); got != want {
			t.Errorf("cost with %d unpriced tokens: got %s, want %s", s.UnpricedTokens, got, want)
		}
	}
	if got := (&row{Session: &api.Session{OutputTokens: 1}}).cost(); got != none {
		t.Errorf("without prices: got %s", got)
	}
	v := view{data: sample()}
	v.data.Today.Unpriced = map[string]uint64{"mystery-1": 9}
	if got := v.today().String(); !strings.Contains(got, " $12.34+ ") {
		t.Errorf("got %q", got)
	}
}
