package web

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/usage"
)

// A period is a range of days that can be selected.
type period struct {
	name         string // in the URL; empty if the parameters from and to state it
	Label        string
	since, until time.Time // beginnings of days; zero without a limit
	now          time.Time
	// before is the compared period, named by baseline; nil without comparison.
	before   *interval
	baseline string
}

// An interval is the time from since to before until.
type interval struct{ since, until time.Time }

// Names of periods that other code uses.
const (
	defaultPeriod = "30d"
	wholeRecord   = "all"
	thisMonth     = "month"
)

// aliases are other names of periods in the URL.
var aliases = map[string]string{"365d": "1y"}

// periods returns all periods with a name, in order. The first three have cards.
func periods(now time.Time) []period {
	return []period{
		lastDays("today", "Today", 1, now), lastDays("7d", "7 days", 7, now), lastDays(defaultPeriod, "30 days", 30, now),
		currentMonth(now), lastMonth(now),
		lastDays("90d", "90 days", 90, now), lastDays("1y", "1 year", 365, now), {name: wholeRecord, Label: "All", now: now},
	}
}

// lastDays returns the period of the last days, today included.
func lastDays(name, label string, days int, now time.Time) period {
	p := period{name: name, Label: label, since: midnight(now, 1-days), now: now}
	p.compareWithDaysBefore()
	if days == 1 {
		p.baseline = "yesterday up to " + now.Format("15:04")
	}
	return p
}

// currentMonth returns the present month, which is compared with the last one up to the
// same day and time.
func currentMonth(now time.Time) period {
	begin := usage.Month.Start(now)
	until := now.AddDate(0, -1, 0)
	baseline := "last month up to " + until.Format("2 January 15:04")
	if !until.Before(begin) { // the last month is shorter
		until, baseline = begin, "last month"
	}
	return period{
		name: thisMonth, Label: "This month", since: begin, now: now,
		before: &interval{usage.Month.Start(begin.AddDate(0, 0, -1)), until}, baseline: baseline,
	}
}

func lastMonth(now time.Time) period {
	end := usage.Month.Start(now)
	begin := usage.Month.Start(end.AddDate(0, 0, -1))
	before := usage.Month.Start(begin.AddDate(0, 0, -1))
	return period{
		name: "last-month", Label: "Last month", since: begin, until: end, now: now,
		before: &interval{before, begin}, baseline: "the month before",
	}
}

// daysFrom returns the period from one day to the end of another. A zero time is no
// limit.
func daysFrom(from, to, now time.Time) period {
	p := period{since: from, now: now}
	if !to.IsZero() {
		p.until = usage.Day.Next(to)
	}
	if !from.IsZero() {
		p.compareWithDaysBefore()
	}
	switch last := p.last(); {
	case from.IsZero():
		p.Label = "Until " + last.Format(shortDay)
	case p.isOneDay():
		p.Label = from.Format(shortDay)
	default:
		p.Label = from.Format(shortDay) + " – " + last.Format(shortDay)
	}
	return p
}

// heading returns the title of the period, and its days in a record that begins at some
// time.
func (p *period) heading(recorded time.Time) (title, days string) {
	first, last := p.since, p.last()
	if first.IsZero() {
		first = recorded
	}
	switch {
	case first.IsZero():
		return p.Label, ""
	case p.isOneDay() && p.name == "":
		return last.Format(dayFormat), last.Weekday().String()
	case p.isOneDay():
		return p.Label, last.Format(dayFormat)
	}
	title, days = p.Label, first.Format(dayFormat)+" – "+last.Format(dayFormat)
	if p.name == "" && !p.since.IsZero() {
		title = fmt.Sprintf("%d days", p.days())
	}
	return title, days
}

// compareWithDaysBefore compares the period with as many days before it, up to the same
// time of day.
func (p *period) compareWithDaysBefore() {
	days := p.days()
	b := &interval{midnight(p.since, -days), p.since}
	if p.includesNow() {
		b.until = p.now.AddDate(0, 0, -days)
	}
	if b.until.Before(b.since) { // a time that the change of the clocks left out
		b.until = b.since
	}
	p.before, p.baseline = b, fmt.Sprintf("the %d days before", days)
	if days == 1 {
		p.baseline = "the day before"
	}
}

// end returns the end of the period, which is at most the present.
func (p *period) end() time.Time {
	if p.until.IsZero() || p.until.After(p.now) {
		return p.now
	}
	return p.until
}

// last returns a time on the last day of the period.
func (p *period) last() time.Time {
	if p.includesNow() {
		return p.now
	}
	return p.until.Add(-time.Second)
}

// includesNow reports whether usage at present belongs to the period.
func (p *period) includesNow() bool { return p.until.IsZero() || p.until.After(p.now) }

// days returns the number of days of a period that has a beginning.
func (p *period) days() int {
	date := func(t time.Time) time.Time {
		year, month, day := t.Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC) // where each day has 24 hours
	}
	return 1 + int(date(p.last()).Sub(date(p.since)).Hours()/24)
}

// isOneDay reports whether the period is a single day.
func (p *period) isOneDay() bool {
	return !p.since.IsZero() && p.last().Before(usage.Day.Next(p.since))
}

// step returns the step of the bars, for a record that begins at some time.
func (p *period) step(recorded time.Time) usage.Step {
	switch {
	case p.isOneDay():
		return usage.Hour
	case p.since.IsZero():
		return stepFor(p.end().Sub(recorded))
	}
	return stepFor(p.end().Sub(p.since))
}

// steps returns the beginnings of all steps of the period, of one day also of the hours
// to come. A record that begins in the future, since the clock was set back, has the
// present step.
func (p *period) steps(step usage.Step, recorded time.Time) (all []time.Time) {
	first, last := p.since, p.last()
	if first.IsZero() {
		first = recorded
	}
	if first.After(last) {
		first = last
	}
	if step == usage.Hour {
		last = usage.Day.Next(usage.Day.Start(last)).Add(-time.Second)
	}
	for at := step.Start(first.In(p.now.Location())); !at.After(last); at = step.Next(at) {
		all = append(all, at)
	}
	return all
}

// stepFor returns the step of the bars for a time of some length.
func stepFor(length time.Duration) usage.Step {
	const day = 24 * time.Hour
	switch {
	case length <= 92*day:
		return usage.Day
	case length <= 2*366*day:
		return usage.Week
	default:
		return usage.Month
	}
}

// midnight returns the beginning of the day some days after a time.
func midnight(now time.Time, days int) time.Time {
	year, month, day := now.Date()
	return usage.Midnight(year, month, day+days, now.Location())
}
