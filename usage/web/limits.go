package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A limitSection shows how full the usage limits are, or the block of five hours if
// that limit is not known.
type limitSection struct {
	Windows []limitWindow
	Block   *limitBlock // nil if there is none
	Toggle  toggle      // between all windows and the fullest; no URL if there are few
}

// A limitWindow shows the window of a limit.
type limitWindow struct {
	Name, Source string
	Used         string // share of the limit
	Bar, Ahead   string // lengths of the bars of the share, and of its forecast
	Near         bool   // the limit is nearly reached, or will be
	Resets       string // empty if that is not known
	Forecast     string // empty if there is none
}

// A limitBlock shows a block of five hours.
type limitBlock struct {
	Amount, Noun string // the cost, or the tokens if that is not known
	Start, End   string
}

// At most maxWindows windows are shown at first, and of several sources the fullest
// maxTeamWindows.
const maxWindows, maxTeamWindows = 8, 3

// newLimits returns the limits at a time, or nil if there is nothing to show.
func newLimits(windows []limits.Window, h *counters.History, s selection, now time.Time) *limitSection {
	var section limitSection
	sorted := slices.Clone(windows)
	slices.SortStableFunc(sorted, func(a, b limits.Window) int { return cmp.Compare(rank(&a), rank(&b)) })
	most := maxWindows
	if slices.ContainsFunc(windows, func(w limits.Window) bool { return w.Source != windows[0].Source }) {
		most = maxTeamWindows
	}
	if len(sorted) > most {
		section.Toggle = s.toggle(limitsPart, "All "+format.Count(len(sorted), "limit", "limits"))
		slices.SortStableFunc(sorted, func(a, b limits.Window) int { return cmp.Compare(b.Used, a.Used) })
	}
	if section.Toggle.Open {
		section.Toggle.Text = "Only the fullest limits"
	} else {
		sorted = sorted[:min(len(sorted), most)]
	}
	for i := range sorted {
		section.Windows = append(section.Windows, newLimitWindow(&sorted[i], now))
	}
	if !slices.ContainsFunc(windows, func(w limits.Window) bool { return w.Name == limits.FiveHours }) {
		section.Block = newLimitBlock(h, now)
	}
	if len(section.Windows) == 0 && section.Block == nil {
		return nil
	}
	return &section
}

// rank orders windows by importance to people.
func rank(w *limits.Window) int {
	switch w.Name {
	case limits.FiveHours:
		return 0
	case limits.SevenDays:
		return 1
	}
	return 2
}

func newLimitWindow(w *limits.Window, now time.Time) limitWindow {
	shown := limitWindow{
		Name: windowName(w.Name), Source: sourceName(counters.SourceLabels(w.Source)),
		Used: format.Percent(w.Used), Bar: share(w.Used), Ahead: share(w.Used), Near: w.Used >= limits.Critical,
	}
	if !w.Resets.IsZero() {
		shown.Resets = fmt.Sprintf("Resets %s, in %s.", moment(w.Resets, now), format.Minutes(w.Resets.Sub(now)))
	}
	f, ok := w.Forecast(now)
	switch {
	case !ok:
	case !f.Full.IsZero():
		shown.Near, shown.Ahead = true, share(1)
		shown.Forecast = fmt.Sprintf("At this pace full %s.", moment(f.Full, now))
	case w.Used < 1:
		shown.Ahead = share(f.Used)
		shown.Forecast = fmt.Sprintf("At this pace %s at the reset.", format.Percent(f.Used))
	}
	return shown
}

// share returns the length of a bar for a share.
func share(part float64) string { return percent(100 * min(1, part)) }

func windowName(name string) string {
	switch model, ofModel := strings.CutPrefix(name, limits.SevenDays+"_"); {
	case name == limits.FiveHours:
		return "5 hours"
	case name == limits.SevenDays:
		return "Week"
	case ofModel:
		return "Week, " + shown(strings.ReplaceAll(model, "_", " "))
	}
	return shown(strings.ReplaceAll(name, "_", " "))
}

// sourceName names a source by the values of its labels.
func sourceName(source counters.SourceLabels) string {
	labels := source.Labels()
	var values []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if labels[name] != "" {
			values = append(values, shown(labels[name]))
		}
	}
	return strings.Join(values, ", ")
}

// moment returns when something near happens, such as "at 17:30" or "on Mon 2 Jan
// 17:30", in the time zone of now.
func moment(at, now time.Time) string {
	at = at.In(now.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return "at " + at.Format("15:04")
	}
	return "on " + at.Format(weekdayFormat+" 15:04")
}

// newLimitBlock returns the current block, or nil if there is none.
func newLimitBlock(h *counters.History, now time.Time) *limitBlock {
	b, ok := usage.CurrentBlock(h, now, nil)
	if !ok {
		return nil
	}
	block := &limitBlock{
		Amount: format.Short(float64(b.Usage.Total.Tokens())), Noun: "tokens",
		Start: moment(b.Start, now), End: fmt.Sprintf("%s, in %s", moment(b.End, now), format.Minutes(b.End.Sub(now))),
	}
	if isPriced(&b.Usage) && !isFree(&b.Usage) {
		block.Amount, block.Noun = costText(totalCost(&b.Usage)), ""
	}
	return block
}
