package report

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
	"github.com/ccwatchd/ccwatchd/usage"
)

// title returns the title of the table.
func title(u *usage.Usage) string {
	text := "Claude Code usage"
	var by []string
	if u.Step != usage.Total {
		by = append(by, string(u.Step.Kind()))
	}
	if isOfSessions(u) {
		by = append(by, u.By[0])
	} else {
		for _, name := range u.By {
			by = append(by, noun(name))
		}
	}
	if len(by) > 0 {
		text += " by " + strings.Join(by, " and ")
	}
	return text + filters(u.Where) + span(u)
}

// span returns the time of a usage after a comma, or "" if it has no limits.
func span(u *usage.Usage) string {
	since, until := moment(u.Since, u.Location), moment(u.Until.Add(-time.Nanosecond), u.Location)
	switch {
	case u.Until.IsZero() && u.Since.IsZero():
		return ""
	case u.Until.IsZero():
		return ", since " + since
	case u.Since.IsZero():
		return ", until " + until
	case since == until:
		return ", " + since
	}
	return ", " + since + " to " + until
}

// noun returns a label as a word of a text.
func noun(label string) string {
	if label == usage.ModelNameLabel {
		return usage.ModelLabel
	}
	return strings.ReplaceAll(label, "_", " ")
}

// filters lists the values that a query selects.
func filters(where map[string][]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(where)) {
		b.WriteString(", " + terminal.Printable(noun(name)+" "+strings.Join(where[name], " or ")))
	}
	return b.String()
}

// moment formats a time. The first and last moment of a day are the day.
func moment(t time.Time, in *time.Location) string {
	t = t.In(in)
	before, after := t.Add(-time.Nanosecond), t.Add(time.Nanosecond)
	if before.Day() != t.Day() || after.Day() != t.Day() {
		return t.Format(time.DateOnly)
	}
	return t.Round(time.Second).Format("2006-01-02 15:04")
}

// subtitle returns the caveats about the numbers.
func subtitle(u *usage.Usage) string {
	var text string
	if isOfSessions(u) || u.Step != usage.Total || !u.Since.IsZero() || !u.Until.IsZero() {
		text = timesOf(u) + " are in " + zone(u) + ". "
	}
	if slices.Contains(u.Measures, usage.Cost) {
		text += "Cost is an estimate by list price, not the bill of a subscription. "
	}
	if !u.Recorded.IsZero() {
		text += "Recorded since " + u.Recorded.In(u.Location).Format(time.DateOnly) + "."
	}
	return text
}

// timesOf returns the noun that the subtitle states the time zone for.
func timesOf(u *usage.Usage) string {
	switch u.Step.Kind() {
	case usage.Day, usage.Week, usage.Month:
		return "Days"
	}
	return "Times"
}

// zone returns the name of the time zone, or its offset.
func zone(u *usage.Usage) string {
	switch name := u.Location.String(); {
	case strings.HasPrefix(name, "+"), strings.HasPrefix(name, "-"):
		return "UTC" + name
	case name == "Etc/UTC":
		return "UTC"
	case name != "" && name != "Local":
		return name
	}
	at := u.Recorded
	if n := len(u.Rows); n > 0 && !u.Rows[n-1].Start.IsZero() {
		at = u.Rows[n-1].Start
	}
	if at.IsZero() { // of sessions
		at = time.Now()
	}
	return "UTC" + at.In(u.Location).Format("-07:00")
}

// notes lists the usage that is not in the table, or has no cost.
func notes(u *usage.Usage) (all []string) {
	if v := &u.Undated; *v != (usage.Values{}) {
		var parts []string
		for _, c := range columnsFor(u.Measures)[:1] {
			parts = append(parts, c.format(short, newRow(u, usage.Row{Values: *v}))+" of "+strings.ReplaceAll(c.head, "\n", " "))
		}
		if n := v.Tokens(); n > 0 {
			parts = append(parts, short.count(n)+" tokens")
		}
		all = append(all, "Not in the table, since it was counted while nothing was recorded: "+strings.Join(parts, ", ")+".")
	}
	if len(u.Unpriced) > 0 && slices.Contains(u.Measures, usage.Cost) {
		models := u.UnpricedModels()
		for i, model := range models {
			if models[i] = short.count(u.Unpriced[model]); model != "" {
				models[i] += " of " + terminal.Printable(model)
			}
		}
		all = append(all, "Tokens without a known price, which have no cost: "+strings.Join(models, ", ")+". See ccwatchd prices --help.")
	}
	return all
}
