package statusline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// Options configure a Line.
type Options struct {
	Now   time.Time
	Cost  string // of today, "" if it is not known
	Width int    // columns, 0 for any number
	Color bool
}

// Nothing is the line if nothing is known.
const Nothing = "Claude Code"

// separator is between two parts of a line.
const separator = " · "

// shortName returns the name of a window in the line: 5h, 7d, 7d opus, spend limit.
func shortName(window string) string {
	for long, short := range map[string]string{limits.FiveHours: "5h", limits.SevenDays: "7d"} {
		if rest, ok := strings.CutPrefix(window, long); ok {
			window = short + rest
		}
	}
	return printable(strings.ReplaceAll(window, "_", " "))
}

// Line returns one line without its end: the model, the use of the context and of the
// limits, the cost of today and of the session, and the prompt cache, as far as they
// are known. In a narrow terminal it leaves out the last parts.
func (in *Input) Line(o Options) string {
	parts := in.parts(o)
	for o.Width > 0 && len(parts) > 1 && terminal.Width(plain(parts)) > o.Width {
		parts = parts[:len(parts)-1]
	}
	if o.Width > 0 && terminal.Width(parts[0].text) > o.Width {
		parts[0].text = strings.TrimSpace(terminal.Left(parts[0].text, o.Width))
	}
	if !o.Color {
		return plain(parts)
	}
	colored := make([]string, len(parts))
	for i, p := range parts {
		colored[i] = p.color.wrap(p.text)
	}
	return strings.Join(colored, separator)
}

// A part is a piece of the line.
type part struct {
	text  string
	color color
}

func plain(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, separator)
}

// parts returns at least one part.
func (in *Input) parts(o Options) (all []part) {
	if in.Model != "" {
		all = append(all, part{text: in.Model})
	}
	if in.Context >= 0 {
		text := "context " + format.TableWholePercent(in.Context)
		if in.Window > 0 {
			text += " of " + strings.Replace(format.Short(float64(in.Window)), ".0", "", 1)
		}
		all = append(all, part{text, colorOf(in.Context)})
	}
	for _, window := range slices.Sorted(maps.Keys(in.Limits)) {
		u := in.Limits[window]
		used := *u.Percentage / 100
		var resets time.Time
		if u.Resets != nil {
			resets = time.Unix(*u.Resets, 0)
		}
		all = append(all, part{Limit(window, used, resets, o.Now), colorOf(used)})
	}
	if o.Cost != "" {
		all = append(all, part{text: "today " + o.Cost})
	}
	if in.sessionCost > 0 {
		all = append(all, part{text: "session " + format.USD(in.sessionCost)})
	}
	if cache, ok := in.cachePart(o.Now); ok {
		all = append(all, cache)
	}
	if len(all) == 0 {
		return []part{{text: Nothing}}
	}
	return all
}

// Limit returns how full the window of a limit is, and the time until its reset unless
// that is zero: 5h 42% (2h13m).
func Limit(window string, used float64, resets, now time.Time) string {
	text := strings.TrimSpace(shortName(window) + " " + format.TableWholePercent(used))
	if !resets.IsZero() {
		text += " (" + format.Minutes(resets.Sub(now)) + ")"
	}
	return text
}

// A color is the number of a color of terminals; 0 is the default one.
type color int

const (
	green  color = 32
	yellow color = 33
	red    color = 31
)

func colorOf(used float64) color {
	switch {
	case used >= limits.Critical:
		return red
	case used >= limits.Warning:
		return yellow
	}
	return green
}

func (c color) wrap(text string) string {
	if c == 0 {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", c, text)
}
