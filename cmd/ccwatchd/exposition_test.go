package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// Accept headers of a scraper.
const (
	plainText   = ""
	openMetrics = exposition.OpenMetrics
	protobuf    = exposition.Protobuf
)

// scrape returns the samples of the daemon, and false while it exposes none.
func (d *process) scrape(accept string) (exposition.Samples, bool) {
	d.t.Helper()
	status, body, err := d.get("/metrics", accept)
	if err != nil || status == http.StatusServiceUnavailable {
		return nil, false
	}
	if status != http.StatusOK {
		d.t.Fatalf("scrape: got status %d: %s", status, body)
	}
	return parse(d.t, body, accept), true
}

// sample returns the sum of all samples with a name, which must exist.
func (d *process) sample(name string) float64 {
	d.t.Helper()
	sum, found := d.sum(name)
	if !found {
		d.t.Fatalf("the exposition has no %s", name)
	}
	return sum
}

// sum returns the sum of all samples with a name, and whether such a sample exists.
func (d *process) sum(name string) (sum float64, found bool) {
	d.t.Helper()
	return parse(d.t, d.page("/metrics"), plainText).Sum(name)
}

func parse(t testing.TB, body, accept string) exposition.Samples {
	t.Helper()
	samples, err := exposition.Parse(strings.NewReader(body), accept)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// persistent returns the counters and histograms of the ledger by series.
func persistent(samples exposition.Samples) map[string]exposition.Sample {
	all, _ := samples.Counters()
	return all
}

// A counterChecker checks that counters do not fall between scrapes.
type counterChecker struct {
	shown   exposition.Monotonic
	scrapes int
}

// check checks that no counter has fallen, vanished or been created again.
func (h *counterChecker) check(t testing.TB, samples exposition.Samples) {
	t.Helper()
	h.scrapes++
	for _, err := range h.shown.Update(persistent(samples)) {
		t.Errorf("scrape %d: %v", h.scrapes, err)
	}
}
