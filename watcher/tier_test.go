package watcher

import (
	"testing"
	"time"
)

func TestPaces(t *testing.T) {
	const us = 1e-6
	for _, tc := range []struct {
		name  string
		tier  Tier
		cost  float64
		items int
		want  time.Duration
	}{
		{"not measured yet", HotFiles, 0, 512, 200 * time.Millisecond},
		{"few hot files", HotFiles, us, 40, 200 * time.Millisecond},
		{"many hot files", HotFiles, us, 500, 2500 * time.Millisecond},
		{"many slow hot files", HotFiles, 1, 512, 30 * time.Second},
		{"few directories", Directories, us, 250, 2 * time.Second},
		{"many directories", Directories, us, 2500, 12500 * time.Millisecond},
		{"few recent files", RecentFiles, us, 128, 6 * time.Second},
		{"slow recent files", RecentFiles, 16 * us, 125, 20 * time.Second},
		{"very slow recent files", RecentFiles, 1, 128, 30 * time.Second},
		{"few files", AllFiles, us, 4500, 15 * time.Second},
		{"many files", AllFiles, us, 9000, 30 * time.Second},
		{"as many as two scan intervals allow", AllFiles, us, 18000, time.Minute},
		{"more: a higher share", AllFiles, us, 78000, time.Minute},
		{"very many", AllFiles, us, 130000, 100 * time.Second},
		{"very many slow files", AllFiles, 1, 130000, 5 * time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPaces(Options{}.withDefaults())[tc.tier]
			p.meter.seconds, p.meter.items = tc.cost, 1
			if got := p.interval(tc.items).Round(time.Millisecond); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// In the course of an interval every item is due once, whatever the time between checks
// and the number that each of them checks.
func TestDueItems(t *testing.T) {
	for _, tc := range []struct {
		name           string
		items, batch   int
		every, elapsed time.Duration
		want           int
	}{
		{"one by one", 1000, 1, time.Second, 10 * time.Second, 1000},
		{"fewer than one at a time", 3, 1, 100 * time.Millisecond, 10 * time.Second, 3},
		{"more than are due", 1000, 700, time.Second, 21 * time.Second, 2100},
		{"all at a time", 1000, 1000, time.Second, 20 * time.Second, 2000},
		{"after sleep", 1000, 1, time.Hour, time.Hour, 1000},
		{"none", 0, 1, time.Second, 10 * time.Second, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := pace{meter: new(meter), least: 10 * time.Second, most: time.Minute, share: 1}
			total := 0
			for at := tc.every; at <= tc.elapsed; at += tc.every {
				due := p.due(tc.items, tc.every)
				n := max(0, (due+tc.batch-1)/tc.batch*tc.batch)
				p.checked(n)
				total += n
			}
			if total < tc.want-1 || total > tc.want+tc.batch {
				t.Errorf("checked %d items, want %d", total, tc.want)
			}
		})
	}
}
