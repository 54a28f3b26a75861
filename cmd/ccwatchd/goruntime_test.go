package main

import (
	"fmt"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A daemon that has caught up runs goroutines one at a time, unless GOMAXPROCS is set.
func TestOneProcessor(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]float64{"": 1, "3": 3} {
		p := newSandbox(t)
		if setting != "" {
			p = p.with("GOMAXPROCS=" + setting)
		}
		d := p.start(t).ready()
		if got := d.sample("go_sched_gomaxprocs_threads"); got != want {
			t.Errorf("GOMAXPROCS=%s: runs on %v processors, want %v", setting, got, want)
		}
		d.stop()
	}
}

// A daemon that has caught up collects garbage after a small growth of its heap, unless
// GOGC is set.
func TestCollectionsAfterCatchUp(t *testing.T) {
	t.Parallel()
	const smallest = 1 << 20 // bytes of the heap of a daemon without transcripts
	for setting, want := range map[string]struct{ least, most float64 }{
		"":   {gcPercent, 100 * liveGrowth / smallest},
		"70": {70, 70},
	} {
		p := newSandbox(t)
		if setting != "" {
			p = p.with("GOGC=" + setting)
		}
		d := p.start(t).ready()
		polltest.Eventually(t, fmt.Sprintf("GOGC=%s: collects at %v to %v percent", setting, want.least, want.most), func() bool {
			got := d.sample("go_gc_gogc_percent")
			return got >= want.least && got <= want.most
		})
		d.stop()
	}
}
