package torture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// What a process may have at most while it serves. The number of files has no
// influence on any of them, and what the state remembers is small.
var limits = map[string]float64{
	"go_goroutines":                 50,
	"process_open_fds":              50,
	"process_resident_memory_bytes": 128 << 20,
}

// A judge sees every scrape, over all lives of the daemon, and remembers the first
// thing that is wrong.
type judge struct {
	mu      sync.Mutex
	highest numbers     // of what the state keeps, by series; nil before the first scrape
	created numbers     // when series were, by series
	life    numbers     // of the counters of this process
	lost    bool        // an answer may have been given that nobody saw
	last    *exposition // of this process
	text    string      // of the last scrape of this process in the text format
	scrapes int
	most    numbers // of what has a limit
	verdict error
	failed  func(error) // is told of it
}

func newJudge(failed func(error)) *judge {
	return &judge{created: make(numbers), most: make(numbers), failed: failed}
}

// born tells that another process begins.
func (j *judge) born() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.life, j.last, j.text = nil, nil, ""
}

// missed tells that a scrape may have been answered without an answer that was judged.
func (j *judge) missed() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost = true
}

// condemn tells that something is wrong. The first one counts.
func (j *judge) condemn(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail(fmt.Errorf(format, args...))
}

func (j *judge) fail(err error) {
	if j.verdict == nil {
		j.verdict = err
		j.failed(err)
	}
}

// see judges a scrape, of which the text is empty in other formats.
func (j *judge) see(x *exposition, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.scrapes++
	j.falls(j.highest, x.kept)
	j.falls(j.life, x.process)
	if j.highest != nil && !j.lost {
		j.begins(x.kept)
	}
	j.births(x.created)
	j.leaks(x.gauges)
	j.highest, j.life, j.last, j.lost = x.kept, x.process, x, false
	j.text = cmp.Or(text, j.text)
}

// falls finds counters that show less than before, or nothing.
func (j *judge) falls(before, now numbers) {
	for _, series := range slices.Sorted(maps.Keys(before)) {
		switch n, there := now[series]; {
		case !there:
			j.fail(fmt.Errorf("scrape %d: %s has vanished: want at least %v, got nothing", j.scrapes, series, before[series]))
		case n < before[series]:
			j.fail(fmt.Errorf("scrape %d: %s fell: want at least %v, got %v", j.scrapes, series, before[series], n))
		}
	}
}

// begins finds series that do not begin at zero.
func (j *judge) begins(now numbers) {
	for _, series := range slices.Sorted(maps.Keys(now)) {
		if _, before := j.highest[series]; !before && now[series] != 0 {
			j.fail(fmt.Errorf("scrape %d: %s is new: want 0, got %v", j.scrapes, series, now[series]))
		}
	}
}

// births finds series of the state that were created at another time than before.
func (j *judge) births(now numbers) {
	for _, series := range slices.Sorted(maps.Keys(now)) {
		before, known := j.created[series]
		if _, kept := j.highest[series]; kept && known && before != now[series] {
			j.fail(fmt.Errorf("scrape %d: %s was created anew: want %v, got %v", j.scrapes, series, before, now[series]))
		}
	}
	maps.Copy(j.created, now)
}

// leaks finds what has become too much.
func (j *judge) leaks(now numbers) {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		j.most[name] = max(j.most[name], now[name])
		if now[name] > limits[name] {
			j.fail(fmt.Errorf("scrape %d: %s leaks: want at most %v, got %v", j.scrapes, name, limits[name], now[name]))
		}
	}
}

// latest returns the last scrape of the process that runs, and the text of the last
// one in the text format; nil and nothing before there was one.
func (j *judge) latest() (x *exposition, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last, j.text
}
