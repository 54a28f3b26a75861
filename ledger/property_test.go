package ledger

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

const seeds = 20

// birth is the creation time of the ledgers of the tests.
const birth = 1_780_000_000_000

// The same steps give the same ledger.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(seeds) {
		var ledgers [2]*Ledger
		for i := range ledgers {
			r := newReplayer(generateSessions(seed), seed, seed)
			ledgers[i] = apply(New(testOptions(), birth), r.withScrapes(r.randomSteps(80)))
		}
		if !reflect.DeepEqual(ledgers[0], ledgers[1]) {
			t.Fatalf("seed %d: equal steps gave different ledgers", seed)
		}
	}
}

// Saving and reopening a ledger between any two steps makes no difference.
func TestSavedAnywhere(t *testing.T) {
	for seed := range uint64(4) {
		r := newReplayer(generateSessions(seed), seed, seed)
		steps := r.withScrapes(r.randomSteps(60))
		want := reopened(t, apply(New(testOptions(), birth), steps))
		saved := New(testOptions(), birth)
		for cut := range steps {
			got := reopened(t, apply(reopened(t, saved), steps[cut:]))
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: reopened before step %d, the ledger differs", seed, cut)
			}
			steps[cut](saved)
		}
	}
}

// Batches that are saved and read back are equal.
func TestSavedBatch(t *testing.T) {
	for seed := range uint64(seeds) {
		r := newReplayer(generateSessions(seed), seed, seed)
		for _, f := range r.files {
			b := parsed(f.file, f.lines, 0, len(f.lines), r.now)
			c := codec.NewWriter(nil)
			b.Code(c)
			var again Batch
			r := codec.NewReader(c.Bytes())
			if again.Code(r); r.Done() != nil {
				t.Fatal(r.Done())
			}
			for i := range b.Entries { // omitted on purpose
				b.Entries[i].SessionID, b.Entries[i].CWD = "", ""
				for j := range b.Entries[i].Unknown {
					b.Entries[i].Unknown[j].Name = ""
				}
				if b.Entries[i].Prompt != nil {
					b.Entries[i].Prompt.Name = ""
				}
			}
			if !reflect.DeepEqual(&again, b) {
				t.Fatalf("seed %d: %s: got\n%+v\nwant\n%+v", seed, f.file.Kind, again, *b)
			}
		}
	}
}

// byOrder are the labels that may depend on which copy was read first.
var byOrder = []string{"project", "agent", "stop_reason", "result"}

// totals releases a ledger and returns the series that count events, summed over the
// labels that depend on the order of reading, without zeros.
func totals(l *Ledger) map[string][]uint64 {
	releaseAll(l)
	all := values(l, byOrder...)
	maps.DeleteFunc(all, func(key string, n []uint64) bool {
		return !strings.HasPrefix(key, "claude_") || strings.HasPrefix(key, "claude_last_activity") || slices.Max(n) == 0
	})
	return all
}

// expectedTokens computes requests and tokens independently: it visits all records and
// takes the best one of each message.
func expectedTokens(r *replayer) map[string][]uint64 {
	best := make(map[transcript.Key]*transcript.Message)
	for _, f := range r.files {
		for _, e := range parsed(f.file, f.lines, 0, len(f.lines), r.now).Entries {
			if m := e.Message; m != nil && (best[m.Key] == nil || rankOf(m).beats(rankOf(best[m.Key]))) {
				best[m.Key] = m
			}
		}
	}
	all := make(map[string][]uint64)
	addUsage := func(model string, u transcript.Usage) {
		for kind, n := range map[string]uint64{
			"input": u.Input, "output": u.Output, "cache_read": u.CacheRead, "cache_write_5m": u.CacheWrite5m, "cache_write_1h": u.CacheWrite1h,
		} {
			add(all, fmt.Sprintf("claude_tokens_total model=%s type=%s", model, kind), n, 0)
		}
	}
	for _, m := range best {
		add(all, "claude_requests_total model="+m.Model, 1, 0)
		addUsage(m.Model, m.Usage)
		for _, i := range m.Iterations {
			addUsage(i.Model, i.Usage)
		}
	}
	maps.DeleteFunc(all, func(_ string, n []uint64) bool { return slices.Max(n) == 0 })
	return all
}

// Totals do not depend on the order of files, on how their lines are mixed and cut into
// batches, on when messages are settled, or on whether files are read again.
func TestTotalsDoNotDependOnOrder(t *testing.T) {
	for seed := range uint64(seeds) {
		w := generateSessions(seed)
		straight := newReplayer(w, seed, 0)
		want := totals(apply(New(testOptions(), birth), straight.readAll(math.MaxInt32, false, false)))
		messages := maps.Clone(want)
		maps.DeleteFunc(messages, func(key string, _ []uint64) bool {
			return !strings.HasPrefix(key, "claude_tokens_total") && !strings.HasPrefix(key, "claude_requests_total")
		})
		if d := difference(messages, expectedTokens(straight)); d != "" {
			t.Fatalf("seed %d: tokens differ:\n%s", seed, d)
		}
		for order := range uint64(8) {
			steps := newReplayer(w, seed, order).readAll(1+int(order)*3, order%2 == 0, order%3 != 0)
			if d := difference(totals(apply(New(testOptions(), birth), steps)), want); d != "" {
				t.Fatalf("seed %d, order %d:\n%s", seed, order, d)
			}
		}
	}
}

// The size of batches makes no difference in any label, if messages are settled at the
// same times.
func TestBatchSizeDoesNotMatter(t *testing.T) {
	for seed := range uint64(seeds) {
		w := generateSessions(seed)
		var want *Ledger
		for _, size := range []int{math.MaxInt32, 1, 2, 7} {
			r := newReplayer(w, seed, 0)
			l := New(testOptions(), birth)
			for _, f := range r.files {
				r.open(f)(l)
				for f.next < len(f.lines) {
					r.read(f, size)(l)
				}
				l.Settle()
				r.finalize(f)(l)
			}
			if want == nil {
				want = l
			} else if got, want := shownText(l), shownText(want); got != want {
				t.Fatalf("seed %d: in batches of %d\n%s\nat once\n%s", seed, size, got, want)
			}
		}
	}
}

func shownText(l *Ledger) string {
	releaseAll(l)
	return exposition(l.Snapshot(0), func(*Family) bool { return true }, true)
}

// Every kind of duplicate that is counted is documented.
func TestDuplicateKinds(t *testing.T) {
	found := make(map[string][]uint64)
	for seed := range uint64(seeds) {
		r := newReplayer(generateSessions(seed), seed, seed)
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
	for seed := range uint64(seeds) {
		w := generateSessions(seed)
		read := func(size int, settle bool) map[string][]uint64 {
			r, l := newReplayer(w, seed, 0), New(testOptions(), birth)
			for _, f := range r.files {
				r.open(f)(l)
				for f.next < len(f.lines) {
					r.read(f, size)(l)
					if settle {
						l.Settle()
					}
				}
				if settle {
					r.finalize(f)(l)
				}
			}
			l.Settle()
			for _, f := range r.files {
				r.finalize(f)(l)
			}
			return duplicatesOf(l)
		}
		want := read(math.MaxInt32, false)
		some = some || want["ccwatchd_duplicates_total kind=message"] != nil
		if d := difference(read(1, true), want); d != "" {
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
