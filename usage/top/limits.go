package top

import (
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/statusline"
	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage/api"
)

// LimitTexts returns how full the usage limits are, as the status line shows it, and
// the block of five hours unless that limit is known.
func LimitTexts(l *api.Limits) []string {
	var texts []string
	for _, s := range limitSpans(l) {
		texts = append(texts, s.text)
	}
	return texts
}

func limitSpans(l *api.Limits) (all []span) {
	block := l.Block != nil
	for i := range l.Windows {
		w := &l.Windows[i]
		text := statusline.Limit(w.Name, w.UsedRatio, w.Resets, l.Time)
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(w.Labels))) {
			text = w.Labels[name] + " " + text
		}
		all = append(all, span{terminal.Printable(text), lookOf(w.UsedRatio)})
		block = block && w.Name != limits.FiveHours
	}
	if block {
		all = append(all, span{blockText(l.Block), plain})
	}
	return all
}

// blockText describes the usage in a block: 5h block $5.00 (11:00-16:00).
func blockText(b *api.Block) string {
	used := counted(b.Tokens, "token")
	if b.CostUSD != nil {
		used = format.Cost{USD: *b.CostUSD, Unpriced: b.UnpricedTokens > 0}.Text(format.TableUSD, used)
	}
	return "5h block " + used + " (" + clock(b.Start) + "-" + clock(b.End) + ")"
}

func clock(t time.Time) string { return t.Local().Format("15:04") }

// limits returns the line with the limits, nil if nothing is known.
func (v *view) limits() line {
	if v.data.Limits == nil {
		return nil
	}
	spans := limitSpans(v.data.Limits)
	if len(spans) == 0 {
		return nil
	}
	l := line{{"limits  ", plain}}
	for i, s := range spans {
		if i > 0 {
			l = append(l, span{"  ", plain})
		}
		l = append(l, s)
	}
	return l
}

// lookOf returns the look of the used part of a limit, or of the context window.
func lookOf(share float64) look {
	switch {
	case share < limits.Warning:
		return plain
	case share < limits.Critical:
		return warning
	}
	return alarm
}
