package web

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		now, before float64
		want        string
	}{
		{3, 2, "up 50\u202f% more than"},
		{2, 3, "down 33\u202f% less than"},
		{0, 3, "down 100\u202f% less than"},
		{100, 100.4, "same  about the same as"},
		{0, 0, "same  the same as"},
		{1, 0, "up  more than"},
		{30, 2, "up  $28.00 more than"},
		{141.87, 0.01, "up  $141.86 more than"},
		{101, 100, "up 1.0\u202f% more than"},
	} {
		c := compare(test.now, test.before, format.USD)
		if got := c.Direction + " " + c.Difference + " " + c.Words; got != test.want || c.Now != format.USD(test.now) || c.Before != format.USD(test.before) {
			t.Errorf("compare(%v, %v): got %+v", test.now, test.before, c)
		}
	}
	for _, test := range []struct {
		now  float64
		want string
	}{{3, "+50\u202f%"}, {1, "−50\u202f%"}, {2, ""}, {200, ""}} {
		if c := compare(test.now, 2, format.USD); c.signed() != test.want {
			t.Errorf("compare(%v, 2): got %q, want %q", test.now, c.signed(), test.want)
		}
	}
}

func TestAxis(t *testing.T) {
	for highest, want := range map[float64]string{
		0: "1 [0]", 1: "1 [0 0.25 0.5 0.75 1]", 1.1: "1.5 [0 0.5 1 1.5]", 17: "20 [0 5 10 15 20]", 18.2: "20 [0 5 10 15 20]", 95: "100 [0 25 50 75 100]",
		350: "400 [0 100 200 300 400]", 0.004: "0.004 [0 0.001 0.002 0.003 0.004]", 123e6: "1.5e+08 [0 5e+07 1e+08 1.5e+08]",
	} {
		top, ticks := costs.axis(highest)
		if got := fmt.Sprint(top, ticks); got != want {
			t.Errorf("axis(%v): got %s, want %s", highest, got, want)
		}
	}
	for amount, want := range map[float64]string{0: "$0", 0.0025: "$0.0025", 0.25: "$0.25", 2.5: "$2.50", 5: "$5", 250: "$250", 2500: "$2.5k"} {
		if got := costs.tick(amount); got != want {
			t.Errorf("tick(%v): got %s, want %s", amount, got, want)
		}
	}
	if got := tokens.tick(2.5e6); got != "2.5M" {
		t.Errorf("got %s tokens", got)
	}
}

// There are at most 13 dates, the last date is the present, and narrow screens show at
// most four.
func TestDates(t *testing.T) {
	for _, n := range []int{1, 2, 7, 12, 13, 24, 30, 53, 90, 366, 2000} {
		var starts []time.Time
		for i := range n {
			starts = append(starts, now.AddDate(0, 0, i-n+1))
		}
		all := dates(starts, usage.Day)
		major := slices.DeleteFunc(slices.Clone(all), func(d tick) bool { return d.Minor })
		if len(all) > 13 || len(major) > 4 || n >= 4 && len(major) < 3 || all[len(all)-1].Text != "12 Nov" || all[len(all)-1].Minor {
			t.Errorf("%d: got %d dates of which %d are major: %v", n, len(all), len(major), all)
		}
		weeks := dates(starts, usage.Week)
		if wide := slices.DeleteFunc(slices.Clone(weeks), func(d tick) bool { return d.Minor }); n < 1000 && len(weeks) > 9 || len(wide) > 3 {
			t.Errorf("%d weeks: got %d dates of which %d are major", n, len(weeks), len(wide))
		}
	}
}

func TestColors(t *testing.T) {
	known := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	for _, test := range []struct {
		names []string
		want  map[string]int
	}{
		{[]string{"a", "b"}, map[string]int{"a": 0, "b": 1}},
		{[]string{"c", "a"}, map[string]int{"a": 0, "c": 2}},
		{[]string{"j", "a", "i"}, map[string]int{"a": 0, "j": 1, "i": 2}},
		{known[1:9], map[string]int{"b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7, "i": 0}},
	} {
		if got := colors(test.names, known); !maps.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.names, got, test.want)
		}
	}
}

func TestHeatLevels(t *testing.T) {
	for amount, want := range map[float64]int{0: 0, 0.01: 1, 4: 2, 16: 3, 36: 4, 64: 5, 100: 5} {
		if got := heatLevel(amount, 100); got != want {
			t.Errorf("heatLevel(%v): got %d, want %d", amount, got, want)
		}
	}
}

// The rows of the heat map begin with Monday.
func TestHeatMap(t *testing.T) {
	sunday := time.Date(2026, 11, 8, 23, 0, 0, 0, time.UTC)
	u := &usage.Usage{}
	for i := range 2 {
		r := usage.Row{Start: sunday.AddDate(0, 0, 7*i)}
		r.Values[usage.Cost] = 2e9
		u.Rows = append(u.Rows, r)
	}
	m := newHeatMap(u, costs)
	last := m.Cells[len(m.Cells)-1]
	if last.Title != "Sun 23:00–24:00: $4.00" || last.Class != "h5" || m.Rows[0].Text != "Mon" || m.Table[23].Cells[6] != "$4.00" || m.Table[22].Cells[6] != "–" {
		t.Errorf("got %+v, %v, %v", last, m.Rows, m.Table[23])
	}
	if want := "A grid of weekdays and hours. The most is $4.00, on Sunday from 23:00 to 24:00."; m.About != want {
		t.Errorf("got %q", m.About)
	}
}

func TestStepFor(t *testing.T) {
	for days, want := range map[int]usage.Step{1: usage.Day, 92: usage.Day, 93: usage.Week, 730: usage.Week, 800: usage.Month} {
		if got := stepFor(time.Duration(days) * 24 * time.Hour); got != want {
			t.Errorf("%d days: got %s, want %s", days, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for one, many := range map[string]string{"user": "users", "company": "companies", "key": "keys", "class": "classes", "sessions": "sessions", "cost center": "cost centers"} {
		if got := plural(one); got != many {
			t.Errorf("got %s, want %s", got, many)
		}
	}
}
