package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// missesBy returns the series of cache misses and of what they rewrote.
func missesBy(l *Ledger) map[string]uint64 {
	all := make(map[string]uint64)
	for _, f := range []string{"claude_cache_misses_total", "claude_cache_rewritten_tokens_total"} {
		for _, s := range samplesOf(l, f) {
			if s.Value > 0 {
				all[f+" "+s.Labels[0]] += s.Value
			}
		}
	}
	return all
}

var stampOfLine = regexp.MustCompile(`"timestamp":"2026[^"]*"`)

// spread has time pass between the lines of sessions, sometimes more than a lifetime of
// the cache, and makes some of them side chains.
func (r *replayer) spread() {
	for _, f := range r.files {
		at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		for i, line := range f.lines {
			at = at.Add(time.Duration([]int{1, 2, 200, 290, 301, 20, 3000, 3700}[(i+len(line))%8]) * time.Second)
			line = stampOfLine.ReplaceAll(line, fmt.Appendf(nil, `"timestamp":%q`, at.Format(time.RFC3339)))
			if (i+len(line))%9 == 0 {
				line = bytes.Replace(line, []byte(`"isSidechain":false`), []byte(`"isSidechain":true`), 1)
			}
			f.lines[i] = line
		}
	}
}

// In any order of reading, with any restarts and files that are read again, every miss
// has one reason, and no message more than one context.
func TestRequestsAddUp(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for seed := range seeds() {
		for order := range uint64(4) {
			r := newReplayer(seed, order)
			r.spread()
			steps := r.readAll(1+int(order)*3, order == 2, order != 3)
			if order == 0 {
				steps = r.randomSteps(100)
			}
			l := New(testOptions(), birth)
			for _, s := range steps {
				if s(l); r.IntN(20) == 0 {
					l = reopened(t, l)
				}
			}
			checkRequests(t, fmt.Sprintf("seed %d, order %d", seed, order), l)
		}
	}
}

func checkRequests(t *testing.T, name string, l *Ledger) {
	t.Helper()
	misses := make(map[string]int)
	for _, s := range samplesOf(l, "claude_cache_misses_total") {
		misses[fmt.Sprint(s.Source, s.Labels[1:])] += int(s.Value)
	}
	for _, s := range samplesOf(l, "claude_cache_requests_total") {
		if s.Labels[0] == "miss" {
			misses[fmt.Sprint(s.Source, s.Labels[2:])] -= int(s.Value)
		}
	}
	maps.DeleteFunc(misses, func(_ string, n int) bool { return n == 0 })
	if len(misses) > 0 {
		t.Fatalf("%s: misses with a reason, minus all misses: %v", name, misses)
	}
	for _, s := range samplesOf(l, "claude_cache_rewritten_tokens_total") {
		if s.Labels[0] == MissReasons[coldStart] {
			t.Fatalf("%s: a cold start rewrote %d tokens", name, s.Value)
		}
	}
	if contexts, all := value(l, "claude_request_context_tokens"), value(l, "claude_requests_total"); contexts > all || contexts == 0 && all > 100 {
		t.Fatalf("%s: got %d contexts of %d requests", name, contexts, all)
	}
}

// A file that is read again has the same reasons, wherever the reading was interrupted.
func TestRequestsReadAgain(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	found := make(map[string]uint64)
	for seed := range uint64(20) {
		r := newReplayer(seed, 0)
		r.spread()
		straight := r.readInOrder(math.MaxInt32, atTheEnd)
		r = newReplayer(seed, 1)
		r.spread()
		l := New(testOptions(), birth)
		for _, f := range r.files {
			r.open(f)(l)
			r.read(f, r.IntN(len(f.lines)+1))(l)
			if r.IntN(2) == 0 {
				r.reset(f)(l)
			}
			r.read(f, math.MaxInt32)(l)
		}
		l.Settle()
		for _, f := range r.files {
			r.finalize(f)(l)
		}
		want := missesBy(straight)
		if got := missesBy(l); !maps.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		maps.Copy(found, want)
	}
	if want := 2*len(MissReasons) - 1; len(found) != want { // a cold start rewrites nothing
		t.Errorf("got %v, want all reasons", found)
	}
}

// miss is a message that writes 100 tokens to the cache and reads none.
func miss(id, at string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"timestamp":%q,"message":{"id":%[1]q,"model":"m","stop_reason":"end_turn","usage":{"cache_creation_input_tokens":100}}}`, id, at)
}

// side is a line of a side chain.
func side(line string) string { return strings.Replace(line, "{", `{"isSidechain":true,`, 1) }

// The request of a side chain is dropped with its file.
func TestForgottenSideChain(t *testing.T) {
	for _, drop := range []func(*Ledger){
		func(l *Ledger) { l.Forget([]FileID{1}, birth) },
		func(l *Ledger) { l.Reset(1, Truncated, birth) },
	} {
		l := newWith(side(miss("m1", "2026-05-01T10:00:00.000Z")))
		if partOf[*lastRequests](l).sideRequests.Len() != 1 {
			t.Fatalf("got %d requests of side chains, want 1", partOf[*lastRequests](l).sideRequests.Len())
		}
		if drop(l); partOf[*lastRequests](l).sideRequests.Len() > 0 {
			t.Errorf("got %d requests of side chains, want none", partOf[*lastRequests](l).sideRequests.Len())
		}
	}
}
