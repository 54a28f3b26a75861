package web

import (
	"fmt"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A contextChart shows how the context of a main conversation grew, request by request.
// Bars stand for one or several consecutive requests, with the largest of them.
type contextChart struct {
	About string // text alternative
	Bars  []bar
	Ticks []tick
	Dates []tick
	Marks []mark // compactions
}

// A mark is a moment between two bars.
type mark struct{ X, Title string }

// maxContextBars is the maximum number of bars.
const maxContextBars = 120

// newContextChart returns the chart of the context of a session, or nil without a
// request.
func newContextChart(d *ledger.SessionDetail, zone *time.Location) *contextChart {
	var main []ledger.CountedRequest
	for _, r := range d.Requests {
		if r.Project == ledger.MainPart && r.Context() > 0 {
			main = append(main, r)
		}
	}
	if len(main) == 0 {
		return nil
	}
	size := (len(main) + maxContextBars - 1) / maxContextBars
	n := (len(main) + size - 1) / size
	c, peak, highest := new(contextChart), make([]uint64, n), uint64(0)
	for i := range main {
		peak[i/size] = max(peak[i/size], main[i].Context())
		highest = max(highest, main[i].Context())
	}
	top, ticks := tokens.axis(float64(highest))
	for _, t := range ticks {
		c.Ticks = append(c.Ticks, tick{At: pixels(plotTop + plotHeight*(1-t/top)), Text: tokens.tick(t)})
	}
	room := max(n, minBars)
	begin, end := time.UnixMilli(main[0].When).In(zone), time.UnixMilli(main[len(main)-1].When).In(zone)
	layout := "15:04"
	if begin.YearDay() != end.YearDay() || end.Sub(begin) > 24*time.Hour {
		layout = shortDay
	}
	for i, tokens := range peak {
		c.addBar(i, room, time.UnixMilli(main[i*size].When).In(zone), layout, tokens, top)
	}
	for _, compaction := range d.Compactions {
		c.addMark(main, compaction, size, room, zone)
	}
	c.About = fmt.Sprintf("Bars of %s of the main conversation, the largest of %s tokens, with %s.",
		format.Count(len(main), "request", "requests"), format.Short(float64(highest)), format.Count(len(c.Marks), "compaction", "compactions"))
	return c
}

func (c *contextChart) addBar(i, n int, at time.Time, layout string, tokens uint64, top float64) {
	width := 100 / float64(n)
	c.Bars = append(c.Bars, bar{
		Title: fmt.Sprintf("%s: %s tokens", at.Format(weekdayFormat+" 15:04"), format.Short(float64(tokens))),
		X:     percent((float64(i) + 0.08) * width), Width: percent(0.84 * width),
		Total: pixels(plotTop + plotHeight*(1-float64(tokens)/top)),
	})
	if every := (n + 5) / 6; i%every == 0 {
		c.Dates = append(c.Dates, tick{At: percent((float64(i) + 0.5) * width), Text: at.Format(layout), Minor: i/every%2 == 1})
	}
}

// addMark adds a compaction before the first request after it, if one follows.
func (c *contextChart) addMark(main []ledger.CountedRequest, compaction ledger.SessionCompaction, size, n int, zone *time.Location) {
	for i := range main {
		if main[i].When < compaction.When {
			continue
		}
		title := compaction.Trigger + " compaction, " + time.UnixMilli(compaction.When).In(zone).Format(weekdayFormat+" 15:04")
		if compaction.Before > 0 {
			title += ", of " + format.Short(float64(compaction.Before)) + " tokens"
		}
		c.Marks = append(c.Marks, mark{percent(float64(i) / float64(size) * 100 / float64(n)), title})
		return
	}
}
