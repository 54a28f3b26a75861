package main

import (
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// costs returns the sum of the costs, whether the daemon exposes costs, and the number
// of requests.
func (d *process) costs() (usd float64, shown bool, requests float64) {
	d.t.Helper()
	samples, ok := d.scrape(plainText)
	if !ok {
		return 0, false, 0
	}
	usd, shown = samples.Sum("claude_cost_usd_total")
	requests, _ = samples.Sum("claude_requests_total")
	return usd, shown, requests
}

// A daemon that reads again gives messages that were counted with "pricing: off" their
// cost, at the configured prices.
func TestPricing(t *testing.T) {
	p := newSandbox(t)
	p.configure(t, "pricing: off\n")
	s := p.newSession(t, "app")
	appendFile(t, s.path, s.call("1", "Read"), s.result("1", "fine"), s.call("2", "Read"))
	d := p.start(t).ready()
	polltest.Eventually(t, "both messages are counted", func() bool { _, _, n := d.costs(); return n == 2 })
	if usd, shown, _ := d.costs(); shown || usd != 0 || strings.Contains(d.page("/metrics"), "ccwatchd_price_table_info") {
		t.Errorf("pricing is off: got %v, shown %v", usd, shown)
	}
	d.stop()

	p.configure(t, "pricing: {models: [{model: claude-opus-4-6, input: 1, output: 2, cache_read: 3, cache_write_5m: 4, cache_write_1h: 5}]}\n")
	d = p.start(t).ready()
	if usd, _, n := d.costs(); usd != 0 || n != 2 {
		t.Errorf("counted without prices: got %v for %v messages, want 0 for 2", usd, n)
	}
	d.stop()

	d = p.start(t, "--state.read-again").ready()
	const want = 2 * (3*1 + 120*2 + 50_000*3 + 1000*4) / 1e6 // for two messages
	if usd, _, n := d.costs(); usd != want || n != 2 {
		t.Errorf("read again: got %v for %v messages, want %v for 2", usd, n, want)
	}
	if n, _ := d.sum("ccwatchd_price_table_info"); n != 1 || !strings.Contains(d.page("/metrics"), `{source="overlay",`) {
		t.Error("the price table is not that of the configuration")
	}
	d.stop()
}
