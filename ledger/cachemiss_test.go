package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// missesBy returns the series of cache misses and of what they rewrote.
func missesBy(t *testing.T, l *Ledger) map[string]uint64 {
	t.Helper()
	all := make(map[string]uint64)
	for _, f := range []familyID{cacheMisses, cacheRewritten} {
		for _, s := range l.tables[f].inOrder {
			if s.Value > 0 {
				all[l.tables[f].Name+" "+s.Labels[0]] += s.Value
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
	for _, s := range l.tables[cacheMisses].inOrder {
		misses[fmt.Sprint(s.Source, s.Labels[1:])] += int(s.Value)
	}
	for _, s := range l.tables[cacheRequests].inOrder {
		if s.Labels[0] == "miss" {
			misses[fmt.Sprint(s.Source, s.Labels[2:])] -= int(s.Value)
		}
	}
	maps.DeleteFunc(misses, func(_ string, n int) bool { return n == 0 })
	if len(misses) > 0 {
		t.Fatalf("%s: misses with a reason, minus all misses: %v", name, misses)
	}
	for _, s := range l.tables[cacheRewritten].inOrder {
		if s.Labels[0] == MissReasons[coldStart] {
			t.Fatalf("%s: a cold start rewrote %d tokens", name, s.Value)
		}
	}
	if contexts, all := value(l, requestContext), value(l, requests); contexts > all || contexts == 0 && all > 100 {
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
		want := missesBy(t, straight)
		if got := missesBy(t, l); !maps.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got, want)
		}
		maps.Copy(found, want)
	}
	if want := 2*len(MissReasons) - 1; len(found) != want { // a cold start rewrites nothing
		t.Errorf("got %v, want all reasons", found)
	}
}

// requestLines are a cold start and three misses that nothing explains.
var requestLines = []string{
	miss("m1", "2026-05-01T10:00:00.000Z"), miss("m2", "2026-05-01T10:00:01.000Z"),
	miss("m3", "2026-05-01T10:00:02.000Z"), miss("m4", "2026-05-01T10:00:03.000Z"),
}

// miss is a message that writes 100 tokens to the cache and reads none.
func miss(id, at string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":%q,"timestamp":%q,"message":{"id":%[1]q,"model":"m","stop_reason":"end_turn","usage":{"cache_creation_input_tokens":100}}}`, id, at)
}

// side is a line of a side chain.
func side(line string) string { return strings.Replace(line, "{", `{"isSidechain":true,`, 1) }

// After an upgrade from a version that kept no requests, the first miss of a file that
// was read, in each of its conversations, is unexplained and not taken for a cold
// start. It rewrites nothing known.
func TestUpgradeWithinAConversation(t *testing.T) {
	for _, tt := range []struct {
		name         string
		before, then []string
		want         map[string]uint64
	}{
		{"in the middle", requestLines[:2], requestLines[2:], map[string]uint64{
			"claude_cache_misses_total cold_start": 1, "claude_cache_misses_total unexplained": 3, "claude_cache_rewritten_tokens_total unexplained": 200,
		}},
		{"before the first", nil, requestLines[2:], map[string]uint64{
			"claude_cache_misses_total cold_start": 1, "claude_cache_misses_total unexplained": 1, "claude_cache_rewritten_tokens_total unexplained": 100,
		}},
		{"then a side chain", requestLines[:1], []string{requestLines[1], side(requestLines[2])}, map[string]uint64{
			"claude_cache_misses_total cold_start": 1, "claude_cache_misses_total unexplained": 2,
		}},
		{"a side chain, then others", requestLines[:1], []string{side(requestLines[1]), requestLines[2], requestLines[3]}, map[string]uint64{
			"claude_cache_misses_total cold_start": 1, "claude_cache_misses_total unexplained": 3, "claude_cache_rewritten_tokens_total unexplained": 100,
		}},
		{"a side chain first", nil, []string{side(requestLines[0]), requestLines[1]}, map[string]uint64{
			"claude_cache_misses_total cold_start": 2,
		}},
		{"within a message", requestLines[:1], []string{requestLines[0], requestLines[1]}, map[string]uint64{
			"claude_cache_misses_total cold_start": 1, "claude_cache_misses_total unexplained": 1, "claude_cache_rewritten_tokens_total unexplained": 100,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newWith(tt.before...)
			l.Settle()
			l = readBy(t, fields(t, encode(l), func(n codec.Number) bool { return n != 40 && n != 41 }))
			for _, line := range tt.then {
				l = reopened(t, l)
				l.AddBatch(batchOf(testFile(1, "a.jsonl"), birth, line))
			}
			l.Settle()
			if got := missesBy(t, l); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// An older version carries the latest requests and permission modes unread. If it reads
// lines, they are void.
func TestRequestsCarriedByOlderVersion(t *testing.T) {
	f := testFile(1, "a.jsonl")
	for _, unseen := range [][]string{nil, requestLines[1:2]} {
		newer := newWith(requestLines[0], side(requestLines[3]))
		newer.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{{Type: "permission-mode", PermissionMode: 3}}})
		newer.Settle()
		of, sides := newer.files[1].request, maps.Clone(newer.sideRequests)
		requests := func(n codec.Number) bool { return n == 40 || n == 41 }
		carried := fields(t, encode(newer), requests)
		if len(unseen) > 0 {
			newer.AddBatch(batchOf(f, birth, unseen...))
			newer.Settle()
		}
		older := newer.files[1]
		older.request, newer.sideRequests = of, sides
		newer.files[1] = older
		others := encode(newer)
		before := fields(t, others, func(n codec.Number) bool { return n < 40 })
		after := fields(t, others, func(n codec.Number) bool { return n > 41 })
		l := readBy(t, slices.Concat(before, carried, after))
		if kept := l.files[1].request == of && maps.Equal(l.sideRequests, sides); kept != (len(unseen) == 0) || len(sides) != 1 {
			t.Errorf("%d lines read: got %v and %v", len(unseen), l.files[1].request, l.sideRequests)
		}
		if kept := l.files[1].mode == 3; kept != (len(unseen) == 0) {
			t.Errorf("%d lines read: got permission mode %d", len(unseen), l.files[1].mode)
		}
		l.AddBatch(batchOf(f, birth, requestLines[2]))
		l.Settle()
		if got := missesBy(t, l)["claude_cache_misses_total cold_start"]; got != 2 {
			t.Errorf("%d lines read: got %d cold starts, want 2", len(unseen), got)
		}
	}
}

// The request of a side chain is dropped with its file.
func TestForgottenSideChain(t *testing.T) {
	for _, drop := range []func(*Ledger){
		func(l *Ledger) { l.Forget([]FileID{1}, birth) },
		func(l *Ledger) { l.Reset(1, Truncated, birth) },
	} {
		l := newWith(side(requestLines[0]))
		if len(l.sideRequests) != 1 {
			t.Fatalf("got %d requests of side chains, want 1", len(l.sideRequests))
		}
		if drop(l); len(l.sideRequests) > 0 {
			t.Errorf("got %d requests of side chains, want none", len(l.sideRequests))
		}
	}
}
