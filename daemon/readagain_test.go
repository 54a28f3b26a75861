package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// claude returns the totals of the families of Claude Code.
func (t totals) claude() totals {
	t = maps.Clone(t)
	maps.DeleteFunc(t, func(series string, _ uint64) bool { return !strings.HasPrefix(series, "claude_") })
	return t
}

// costs returns the totals that depend on prices.
func (t totals) costs() totals {
	t = maps.Clone(t)
	maps.DeleteFunc(t, func(series string, _ uint64) bool {
		return !strings.Contains(series, "_usd_total") && !strings.HasPrefix(series, "claude_unpriced_tokens")
	})
	return t
}

const requested = `ccwatchd_file_resets_total{reason="requested"}`

// Reading again gives messages counted without prices the same cost as a new state, and
// counts nothing twice.
func TestReadAgain(t *testing.T) {
	for seed := range uint64(3) {
		h := newHarness(t)
		transcripttest.Generate(seed, transcripttest.Options{Copies: true}).Write(t, h.Root)
		h.settings.Ledger.Prices = nil
		h.start()
		h.stop()
		h.settings.Ledger.Prices = ledgertest.Prices()

		fresh := h.withState(t.TempDir())
		fresh.start()
		want := fresh.totals(orderDependent...).claude()
		if costs := want.costs(); len(costs) < 10 {
			t.Fatalf("seed %d: got only %v", seed, costs)
		}

		h.start()
		if costs := h.totals().costs(); len(costs) > 0 {
			t.Errorf("seed %d: got costs without reading again: %v", seed, costs)
		}
		for range 2 { // the second time changes nothing
			h.stop()
			h.readAgain, h.scraper = true, newScraper(t) // series appear with their values
			h.start()
			if d := h.totals(orderDependent...).claude().diff(want); d != "" {
				t.Errorf("seed %d: after reading again, compared with a new state:\n%s", seed, d)
			}
		}
		resets := h.totals()
		if resets[requested] == 0 || resets[truncated]+resets[replaced] > 0 {
			t.Errorf("seed %d: got resets %d requested, %d truncated, %d replaced", seed, resets[requested], resets[truncated], resets[replaced])
		}
		h.readAgain = false
		h.restart()
		checkEqual(t, "resets after a start without the flag", h.totals()[requested], resets[requested])
	}
}

// An interrupted reading again can be repeated with the flag. Nothing counts twice, and
// no series stays at zero.
func TestReadAgainAfterInterruption(t *testing.T) {
	h := newHarness(t)
	for _, session := range []string{"a", "b", "c"} {
		h.Write("p/"+session+".jsonl", replies(session, 3))
	}
	h.settings.Ledger.Prices = nil
	h.start()
	h.stop()
	h.settings.Ledger.Prices, h.readAgain = ledgertest.Prices(), true
	e := newEngine(h.newDaemon())
	ctx, cancel := context.WithCancel(t.Context())
	e.daemon.settings.Load().Labeller = hookLabeller{hook: func(cwd string) {
		if filepath.Base(cwd) == "b" {
			cancel()
		}
	}}
	e.configure(e.daemon.settings.Load().Sources())
	if err := e.catchUp(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("the interrupted catch-up returns %v", err)
	}
	h.Must(e.saver.save())
	e.stop()
	h.Must(e.daemon.Close())

	h.start()
	snap, _ := snapshot(h.d)
	const cost = `claude_cost_usd_total{component="output",model="opus",project="%s",agent="main"}`
	costs := totalsOf(&snap).costs()
	for _, project := range []string{"a", "b", "c"} {
		checkEqual(t, "cost of "+project, costs[fmt.Sprintf(cost, project)], 3*10*25_000)
	}
	h.waitFor(counts(9, 3))
	if n := h.totals()[requested]; n <= 3 {
		t.Errorf("got %d resets, want those of both attempts", n)
	}
}

// A price that becomes known while the daemon runs, or before it starts, prices the
// unpriced messages once. When the price is removed, the cost stays.
func TestLatePrices(t *testing.T) {
	const (
		cost     = `claude_cost_usd_total{component="output",model="haiku",project="p",agent="main"}`
		unpriced = `claude_unpriced_tokens{model="haiku"}`
	)
	reply := func(id string) string {
		return (&session{ID: id, CWD: "/p"}).Reply(transcripttest.Reply{ID: id, Model: "haiku", Out: 100, Stop: "end_turn"}).String()
	}
	known, err := ledgertest.Prices().With([]pricing.Row{{Model: "haiku", Rates: pricing.Rates{Output: 5_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	runCases(t, map[string]func(*harness){
		"reload":  (*harness).reload,
		"restart": (*harness).restart,
		"crash":   func(h *harness) { h.crash(nil, func() {}) },
	}, func(h *harness, change func(*harness)) {
		h.Write(fileA, reply("a")+reply("b"))
		h.start()
		h.waitForSeries(totals{unpriced: 200})
		h.settings.Ledger.Prices = known
		change(h)
		h.waitForSeries(totals{cost: 200 * 5000, unpriced: 0})
		h.checkNoNegatives()
		h.settings.Ledger.Prices = ledgertest.Prices()
		change(h)
		h.Append(fileA, reply("c"))
		h.waitForSeries(totals{cost: 200 * 5000, unpriced: 100})
		h.restart()
		h.waitForSeries(totals{cost: 200 * 5000, unpriced: 100})
	})
}

// A reload applies prices to later messages. Without prices no cost is exposed; when
// prices are back, the cost is as before.
func TestReloadPrices(t *testing.T) {
	h := startWithReplies(t, 2)
	const cost = `claude_cost_usd_total{component="output",model="opus",project="a",agent="main"}`
	checkEqual(t, "cost", h.totals()[cost], 2*10*25_000)
	h.settings.Ledger.Prices = nil
	h.reload()
	hidden := func() (hidden, shown int) {
		snap, _ := snapshot(h.d)
		for _, f := range snap.Families {
			switch {
			case f.Hidden:
				hidden++
			case f.Family.Priced:
				shown++
			}
		}
		return hidden, shown
	}
	if n, shown := hidden(); n != 9 || shown != 0 {
		t.Errorf("without prices: %d families are hidden, %d are not", n, shown)
	}
	h.Append("p/a.jsonl", openReply("x"))
	h.Append("p/a.jsonl", replies("b", 1)) // without a cost
	h.waitFor(counts(3, 3).with(input, 4).with(output, 35).with(requests, 4))
	h.settings.Ledger.Prices = ledgertest.Prices()
	h.reload()
	checkEqual(t, "cost after a reload", h.totals()[cost], 2*10*25_000)
	if n, _ := hidden(); n != 0 {
		t.Errorf("with prices: %d families are hidden", n)
	}
	h.Write("p/c.jsonl", replies("c", 1))
	h.waitFor(counts(4, 4).with(input, 5).with(output, 45).with(requests, 5))
	checkEqual(t, "cost of a later message", h.totals().costs()[strings.Replace(cost, `"a"`, `"c"`, 1)], 10*25_000)
	checkEqual(t, "cost after later messages", h.totals()[cost], 2*10*25_000)
}
