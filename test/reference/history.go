package reference

import (
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// HistoryTotals returns by how much the counters of a history grew before a time, which
// is the beginning of an interval.
func HistoryTotals(h *ledger.History, before time.Time) Totals {
	totals := make(Totals)
	for _, c := range correspondences {
		for _, f := range h.Families {
			if f.Family.Name != c.family {
				continue
			}
			for i := range f.Series {
				c.addGrowth(totals, f.Family, &f.Series[i], before.UnixMilli())
			}
		}
	}
	return totals
}

// addGrowth adds by how much a series grew before a time in milliseconds since the
// epoch. Histories have the units of counts.
func (c *correspondence) addGrowth(to Totals, f *ledger.Family, s *ledger.SeriesHistory, before int64) {
	label := func(name string) string {
		if i := slices.Index(f.Labels, name); i >= 0 {
			return s.Labels[i]
		}
		return ""
	}
	key, ok := c.key(inFamily, label)
	if !ok {
		return
	}
	for _, in := range s.Increases() {
		switch {
		case in.Start >= before:
			return
		case c.value.suffix == milliseconds.suffix:
			to[key] += int64(in.Sum) //nolint:gosec // a sum of milliseconds
		default:
			to[key] += int64(in.Value) //nolint:gosec // a count
		}
	}
}
