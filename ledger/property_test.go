package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// seeds returns how many seeds most tests use.
func seeds() uint64 { return uint64(testsize.Of(20, 6)) }

// birth is the creation time of the ledgers of the tests.
const birth = 1_780_000_000_000

// Saving and reopening a ledger between any two steps makes no difference.
func TestSavedAnywhere(t *testing.T) {
	for seed := range uint64(testsize.Of(4, 2)) {
		r := newReplayer(seed, seed)
		steps := r.withScrapes(r.randomSteps(60))
		want := reopened(t, apply(New(testOptions(), birth), steps))
		saved := New(testOptions(), birth)
		for cut := range steps {
			got := reopened(t, apply(reopened(t, saved), steps[cut:]))
			if !bytes.Equal(encode(got), encode(want)) {
				t.Fatalf("seed %d: reopened before step %d, the ledger differs", seed, cut)
			}
			steps[cut](saved)
		}
	}
}

// byOrder are the labels that may depend on which copy was read first.
var byOrder = []string{"project", "agent", "stop_reason", "result", "speed", "permission_mode"}

// turnHistograms are the histograms of turns. If a session is forked in the middle of a
// turn, they contain the copy that ends first; TestTurnReference compares them.
var turnHistograms = []string{"claude_turn_seconds", "claude_turn_requests", "claude_turn_tool_calls"}

// requestFamilies depend on which record of a message was the best when it was counted,
// and on which copy was read first. TestRequestsAddUp checks them.
var requestFamilies = []string{
	"claude_cache_misses_total", "claude_cache_rewritten_tokens_total", "claude_cache_rewritten_cost_usd_total",
	"claude_fast_mode_premium_usd_total", "claude_request_context_tokens",
}

// totals releases a ledger and returns the series that count events, summed over the
// labels that depend on the order of reading, without zeros.
func totals(l *Ledger) map[string][]uint64 {
	releaseAll(l)
	all := values(l, byOrder...)
	for series, n := range all {
		histogram, _, native := strings.Cut(series, " native ")
		switch {
		case !slices.Contains(turnHistograms, histogram) && !isOfRequestTimes(histogram):
		case native:
			delete(all, series)
		default:
			all[series] = n[:1]
		}
	}
	dropTimedOutput(all)
	maps.DeleteFunc(all, func(key string, n []uint64) bool {
		family, _, _ := strings.Cut(key, " ")
		return !strings.HasPrefix(key, "claude_") || slices.Contains(requestFamilies, family) || strings.HasPrefix(key, "claude_last_activity") || slices.Max(n) == 0
	})
	return all
}

// expectedTotals counts some families independently of the ledger: it visits the
// entries of all files, and takes the best record of each message.
func expectedTotals(r *replayer) map[string][]uint64 {
	all, seen := make(map[string][]uint64), make(map[string]bool)
	best := make(map[string]*transcript.Message) // by the keys of the second implementation
	at := make(map[string]int64)                 // the time of the first of the best records
	once := func(series string, key ...any) bool {
		isNew := !seen[fmt.Sprint(series, key)]
		seen[fmt.Sprint(series, key)] = true
		return isNew
	}
	count := func(series string, key ...any) {
		if once(series, key...) {
			add(all, series, 1, 0)
		}
	}
	tree := r.tree()
	addNaive(all, tree)
	for i, f := range r.files {
		var queue transcript.Key
		repeats := 0
		for j, e := range parsed(f.file, f.lines, 0, len(f.lines), r.now).Entries {
			side := e.Sidechain || f.file.Kind.IsAgent()
			key := tree.Files[i].Lines[j].Message()
			if m := e.Message; m != nil && (best[key] == nil || isBetter(m, best[key])) {
				best[key], at[key] = m, e.Time
			} else if m != nil && !isBetter(best[key], m) {
				at[key] = min(at[key], e.Time)
			}
			if p := e.Prompt; p != nil && p.Kind == transcript.Interruption {
				count("claude_interruptions_total", side, p.TextKey)
			} else if p != nil && !side {
				count("claude_prompts_total kind="+p.Kind, p.TextKey)
			}
			if c := e.Compaction; c != nil && !f.file.Kind.Replays() {
				count("claude_compactions_total trigger="+c.Trigger, e.Time, c.PreTokens)
			}
			if turn := e.Turn; turn != nil && once("turn", e.Time, turn.Milliseconds) {
				short := uint64(0)
				if turn.Milliseconds <= 60_000 {
					short = 1
				}
				add(all, "claude_turn_duration_seconds", 1, turn.Milliseconds, short, 1-short)
			}
			if e.QueueKey == queue {
				repeats++
			} else if !e.QueueKey.IsZero() {
				queue, repeats = e.QueueKey, 0
			}
			if e.QueueOperation != "" {
				count("claude_queue_operations_total operation="+e.QueueOperation, queue, repeats)
			}
		}
	}
	for key, m := range best {
		add(all, "claude_requests_total model="+m.Model, 1, 0)
		addCost(all, pricing.Request{Model: m.Model, Time: at[key], Fast: m.Fast, US: m.US}, m.Usage)
		for _, i := range m.Iterations {
			addCost(all, pricing.Request{Model: i.Model, Time: at[key], Fast: i.Fast, US: i.US}, i.Usage)
		}
	}
	maps.DeleteFunc(all, func(_ string, n []uint64) bool { return slices.Max(n) == 0 })
	return all
}

// isBetter reports whether a record counts rather than another one of the message.
func isBetter(m, than *transcript.Message) bool {
	if m.IsFinal() == than.IsFinal() {
		return m.Usage.Output > than.Usage.Output
	}
	return m.IsFinal()
}

// addCost adds what a request costs, or its tokens if it has no price.
func addCost(to map[string][]uint64, r pricing.Request, u transcript.Usage) {
	p := testPrices().Price(r)
	if p.Unknown {
		add(to, "claude_unpriced_tokens model="+r.Model, u.Input+u.Output+u.CacheRead+u.CacheWrite5m+u.CacheWrite1h, 0)
		return
	}
	c := p.Cost(pricing.Usage{
		Input: u.Input, CacheWrite5m: u.CacheWrite5m, CacheWrite1h: u.CacheWrite1h, CacheRead: u.CacheRead, Output: u.Output, WebSearches: u.WebSearches,
	})
	for component, n := range map[string]uint64{
		"input": c.Input, "output": c.Output, "cache_read": c.CacheRead, "cache_write_5m": c.CacheWrite5m, "cache_write_1h": c.CacheWrite1h, "web_search": c.WebSearch,
	} {
		add(to, fmt.Sprintf("claude_cost_usd_total component=%s model=%s", component, r.Model), n, 0)
	}
	add(to, "claude_cache_savings_usd_total model="+r.Model, c.CacheSavings, 0)
	add(to, "claude_cache_write_premium_usd_total model="+r.Model, c.CacheWritePremium, 0)
}

// Totals do not depend on the order of files, on how their lines are mixed and cut into
// batches, on when messages are settled, or on whether files are read again.
func TestTotalsDoNotDependOnOrder(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	found := make(map[string]bool)
	for seed := range seeds() {
		straight := newReplayer(seed, 0)
		want := totals(apply(New(testOptions(), birth), straight.readAll(math.MaxInt32, false, false)))
		expected := expectedTotals(straight)
		family := func(series string) string { name, _, _ := strings.Cut(series, " "); return name }
		compared := make(map[string]bool)
		for series := range expected {
			compared[family(series)] = true
			found[family(series)] = true
		}
		counted := maps.Clone(want)
		maps.DeleteFunc(counted, func(series string, _ []uint64) bool {
			return !compared[family(series)] || strings.Contains(series, " native ")
		})
		if d := difference(counted, expected); d != "" {
			t.Fatalf("seed %d: not as expected:\n%s", seed, d)
		}
		for order := range uint64(8) {
			steps := newReplayer(seed, order).readAll(1+int(order)*3, order%2 == 0, order%3 != 0)
			if d := difference(totals(apply(New(testOptions(), birth), steps)), want); d != "" {
				t.Fatalf("seed %d, order %d:\n%s", seed, order, d)
			}
		}
	}
	for _, name := range naiveFamilies {
		if !found[name] {
			t.Errorf("nothing has %s", name)
		}
	}
}

// The size of batches makes no difference in any label or interval, if messages are
// settled at the same times.
func TestBatchSizeDoesNotMatter(t *testing.T) {
	read := func(seed uint64, size int) (shown string, grown map[string][]uint64) {
		l := newReplayer(seed, 0).readInOrder(size, afterFiles)
		grown = intervals(l)
		releaseAll(l)
		return exposition(l.Snapshot(0), func(*counters.Family) bool { return true }, true), grown
	}
	for seed := range seeds() {
		want, wantGrown := read(seed, math.MaxInt32)
		for _, size := range []int{1, 2, 7} {
			got, grown := read(seed, size)
			if d := difference(grown, wantGrown); got != want || d != "" {
				t.Fatalf("seed %d: in batches of %d, compared with all at once:\n%s%s", seed, size, difftest.Diff(want, got), d)
			}
		}
	}
}

// Every kind of duplicate that is counted is documented.
func TestDuplicateKinds(t *testing.T) {
	found := make(map[string][]uint64)
	for seed := range seeds() {
		r := newReplayer(seed, seed)
		maps.Copy(found, duplicatesOf(apply(New(testOptions(), birth), r.readAll(5, true, true))))
	}
	for key := range found {
		if _, kind, _ := strings.Cut(key, "kind="); !slices.Contains(DuplicateKinds, kind) {
			t.Errorf("%s is not in DuplicateKinds", kind)
		}
	}
	if len(found) == 0 {
		t.Error("got no duplicates")
	}
}

// Duplicates do not depend on whether messages are settled while files grow.
func TestDuplicatesDoNotDependOnSettling(t *testing.T) {
	some := false
	for seed := range seeds() {
		want := duplicatesOf(newReplayer(seed, 0).readInOrder(math.MaxInt32, atTheEnd))
		some = some || want["ccwatchd_duplicates_total kind=message"] != nil
		if d := difference(duplicatesOf(newReplayer(seed, 0).readInOrder(1, afterBatches)), want); d != "" {
			t.Fatalf("seed %d:\n%s", seed, d)
		}
	}
	if !some {
		t.Error("got no copy of a message")
	}
}

func duplicatesOf(l *Ledger) map[string][]uint64 {
	releaseAll(l)
	all := values(l)
	maps.DeleteFunc(all, func(key string, _ []uint64) bool { return !strings.HasPrefix(key, "ccwatchd_duplicates_total") })
	return all
}
