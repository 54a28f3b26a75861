package main

import "testing"

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

// A daemon that has caught up collects garbage early, unless GOGC is set.
func TestCollectionsAfterCatchUp(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]float64{"": gcPercent, "70": 70} {
		p := newSandbox(t)
		if setting != "" {
			p = p.with("GOGC=" + setting)
		}
		d := p.start(t).ready()
		if got := d.sample("go_gc_gogc_percent"); got != want {
			t.Errorf("GOGC=%s: collects at %v percent, want %v", setting, got, want)
		}
		d.stop()
	}
}
