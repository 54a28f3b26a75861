package top

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A view is the content of the screen.
type view struct {
	data     Data
	received time.Time // when data came
	failure  error     // of the latest request; nil if data is its response
	order    int       // index in orders
	reverse  bool
	first    int // index of the first session on the screen
	visible  int // number of sessions that the screen has room for
}

// lines returns the lines of a screen of the given size at a time.
func (v *view) lines(width, height int, now time.Time) []line {
	rows := v.rows(now)
	all := v.head(len(rows))
	if v.failure != nil {
		all = append(all, v.trouble(now))
	}
	v.visible = max(0, height-len(all)-2) // without the header and the keys
	v.first = max(0, min(v.first, len(rows)-v.visible))
	t := newTable(rows, width)
	all = append(all, t.header(&orders[v.order]))
	for i := range rows[v.first:min(len(rows), v.first+v.visible)] {
		all = append(all, t.line(&rows[v.first+i]))
	}
	if len(rows) == 0 {
		all = append(all, line{{v.nothing(), faint}})
	}
	for len(all) < height-1 {
		all = append(all, nil)
	}
	all = append(all, keys(width))
	all = all[:max(0, min(height, len(all)))]
	for i, l := range all {
		all[i] = l.clip(width)
	}
	return all
}

// nothing returns the text of an empty list.
func (v *view) nothing() string {
	switch {
	case v.data.Empty != "":
		return terminal.Printable(v.data.Empty) + "."
	case v.data.Since.IsZero():
		return "No sessions."
	}
	return "No sessions. --since=all shows older ones."
}

// keys returns the line that states the keys.
func keys(width int) line {
	const all, short = "q quit  i invert  a age  c cost  t tokens  x context  r requests  e errors  p project", "q quit  i invert  sort: a c t x r e p"
	if width < len(all) {
		return line{{short, faint}}
	}
	return line{{all, faint}}
}

// rows returns the sessions with requests in their order.
func (v *view) rows(now time.Time) []row {
	// Ages are relative to the daemon's clock, which may differ, and grow until it
	// responds.
	now = v.data.Time.Add(max(0, now.Sub(v.received)))
	all := orders[v.order].sorted(v.data.Sessions.Sessions, v.reverse)
	var rows []row
	for i := range all {
		if all[i].Requests > 0 {
			rows = append(rows, row{&all[i], now})
		}
	}
	return rows
}

// head returns the lines above the table, which lists so many sessions.
func (v *view) head(sessions int) []line {
	all := []line{v.summary(sessions), v.today()}
	if l := v.limits(); l != nil {
		all = append(all, l)
	}
	return all
}

// summary returns the first line: selection and order.
func (v *view) summary(sessions int) line {
	by := orders[v.order].name
	if v.reverse {
		by += " (inverted)"
	}
	return line{
		{"ccwatchd", strong}, {fmt.Sprintf("  %d live  %d shown  by %s", v.data.Live, sessions, by), plain},
	}
}

// today returns the line with the usage of today.
func (v *view) today() line {
	u := v.data.Today
	if u == nil {
		return line{{"today   not recorded", plain}}
	}
	cost, rest := usageTexts(u)
	return line{{"today   ", plain}, {cost, strong}, {rest, plain}}
}

// UsageText returns a usage in a few words: its cost, tokens and requests.
func UsageText(u *usage.Usage) string {
	cost, rest := usageTexts(u)
	return cost + rest
}

func usageTexts(u *usage.Usage) (cost, rest string) {
	if slices.Contains(u.Measures, usage.Cost) {
		c := format.Cost{USD: u.Total.USD(), Unpriced: u.HasUnpriced(&u.Total)}
		cost = c.Text(format.TableUSD, none) + "  "
	}
	return cost, counted(u.Total.Tokens(), "token") + "  " + counted(u.Total[usage.Requests], "request")
}

func counted(n uint64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return format.TableCount(n) + " " + thing
}

// trouble returns the line that states why the data are old.
func (v *view) trouble(now time.Time) line {
	old := now.Sub(v.received).Truncate(time.Second)
	return line{{fmt.Sprintf("No answer for %s: %s", old, terminal.Printable(v.failure.Error())), alarm}}
}

// press changes the view for a key by its name, and reports whether the key is known.
func (v *view) press(key string) bool {
	page := max(1, v.visible-1)
	switch key {
	case "i":
		v.reverse = !v.reverse
	case "up", "k":
		v.first--
	case "down", "j":
		v.first++
	case "pgup":
		v.first -= page
	case "pgdn", " ":
		v.first += page
	case "home":
		v.first = 0
	case "end":
		v.first = len(v.data.Sessions.Sessions)
	default:
		i := slices.IndexFunc(orders, func(o order) bool { return o.key == key })
		if i < 0 {
			return false
		}
		v.order, v.reverse, v.first = i, false, 0
	}
	return true
}

// Print writes the table once as text, without control characters. A width of 0 is any
// width.
func Print(w io.Writer, d Data, width int) error {
	v := view{data: d}
	rows := v.rows(time.Time{})
	t := newTable(rows, width)
	lines := append(v.head(len(rows)), t.header(&order{}))
	for i := range rows {
		lines = append(lines, t.line(&rows[i]))
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, strings.TrimRight(l.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
