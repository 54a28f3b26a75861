package torture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// limits are the resources that a process may use while it serves. The number of files
// affects none of them, and the state is small.
var limits = map[string]float64{
	"go_goroutines":                 50,
	"process_open_fds":              50 + 32, // and the files that are kept open
	"process_resident_memory_bytes": 128 << 20,
	"ccwatchd_dedup_keys":           math.Inf(1), // config limits it
	"ccwatchd_forgotten_keys_total": math.Inf(1),
}

// A checker checks every scrape, across restarts of the daemon, and records the first
// failure.
type checker struct {
	mu         sync.Mutex
	persistent exposition.Monotonic // across processes
	process    exposition.Monotonic // of this process
	skipped    bool                 // the daemon may have answered a scrape since the last check
	last       exposition.Samples   // of this process
	text       string               // the last scrape of this process in the text format
	scrapes    int
	most       map[string]float64 // largest values with a limit
	failure    error
	onFailure  func(error) // called once
}

func newChecker(onFailure func(error)) *checker {
	return &checker{most: make(map[string]float64), onFailure: onFailure}
}

// restarted prepares for the scrapes of another process. Series that the previous
// process has counted since its last scrape have their values from the start.
func (c *checker) restarted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.process, c.last, c.text, c.skipped = exposition.Monotonic{}, nil, "", true
}

// skip notes that the daemon may have answered a scrape that was not checked.
func (c *checker) skip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skipped = true
}

// fail records a failure. Only the first one counts.
func (c *checker) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record(fmt.Errorf(format, args...))
}

func (c *checker) record(err error) {
	if c.failure == nil {
		c.failure = err
		c.onFailure(err)
	}
}

// check checks a scrape. text is empty if the format was not text.
func (c *checker) check(samples exposition.Samples, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scrapes++
	persistent, process := samples.Counters()
	before := c.persistent.Last()
	errs := append(c.persistent.Update(persistent), c.process.Update(process)...)
	if before != nil && !c.skipped {
		errs = append(errs, startsAtZero(before, persistent)...)
	}
	for _, err := range append(errs, c.leaks(samples)...) {
		c.record(fmt.Errorf("scrape %d: %w", c.scrapes, err))
	}
	c.last, c.text, c.skipped = samples, cmp.Or(text, c.text), false
}

// startsAtZero returns an error for each new series with another value than 0.
func startsAtZero(before, now map[string]exposition.Sample) (errs []error) {
	for _, series := range slices.Sorted(maps.Keys(now)) {
		if _, known := before[series]; !known && now[series].Value != 0 {
			errs = append(errs, fmt.Errorf("%s is new: want 0, got %v", series, now[series].Value))
		}
	}
	return errs
}

// leaks returns an error for each exceeded limit.
func (c *checker) leaks(samples exposition.Samples) (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		now, _ := samples.Sum(name)
		c.most[name] = max(c.most[name], now)
		if now > limits[name] {
			errs = append(errs, fmt.Errorf("%s leaks: want at most %v, got %v", name, limits[name], now))
		}
	}
	return errs
}

// latest returns the last scrape of the running process, and its last scrape in the
// text format; both are empty before the first.
func (c *checker) latest() (samples exposition.Samples, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last, c.text
}
