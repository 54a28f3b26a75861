package ledger

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Preparers do not change an entry. Parts change neither an entry nor a line, and in
// the state of a file only their own fields.
func TestPartsOnlyCount(t *testing.T) {
	eachScript(t, func(s *script, _ string) {
		s.arrange = func(l *Ledger) { checkInputs(s, l) }
		s.arrange(s.ledger)
		s.run()
	})
}

// checkInputs lets a ledger report parts that change what they are given.
func checkInputs(t testing.TB, l *Ledger) {
	for i, prepare := range l.preparers {
		l.preparers[i] = func(n *line, e *transcript.Entry) {
			before := inJSON(t, e)
			if prepare(n, e); inJSON(t, e) != before {
				t.Errorf("preparer %d changed the entry %s", i, before)
			}
		}
	}
	for i := range l.parts {
		l.parts[i] = checkedPart{l.parts[i], t}
	}
}

// A checkedPart reports whether a part changes what it is given.
type checkedPart struct {
	part
	testing.TB
}

func (p checkedPart) countLine(l *line, e *transcript.Entry) {
	before := inJSON(p, e)
	p.check(l, func() { p.part.countLine(l, e) })
	if inJSON(p, e) != before {
		p.Errorf("%T changed the entry %s", p.part, before)
	}
}

func (p checkedPart) endAtPause(l *line) { p.check(l, func() { p.part.endAtPause(l) }) }

func (p checkedPart) check(l *line, count func()) {
	before, file := *l, *l.file
	before.uses, before.results, before.facts = slices.Clone(l.uses), slices.Clone(l.results), slices.Clone(l.facts)
	count()
	if !reflect.DeepEqual(*l, before) {
		p.Errorf("%T changed the line %+v to %+v", p.part, before, *l)
	}
	if copyOwn(p.part, &file, l.file); *l.file != file {
		p.Errorf("%T changed the file %+v to %+v", p.part, file, *l.file)
	}
}

// copyOwn copies the fields of a file that belong to a part.
func copyOwn(p part, to, from *fileState) {
	var flags fileFlags
	switch p.(type) {
	case *messages:
		to.message, flags = from.message, fileOpen|fileHasCopies
	case *agents:
		flags = fileCounted
	case *queue:
		to.queueOp, to.queueRepeats = from.queueOp, from.queueRepeats
	}
	to.flags = to.flags&^flags | from.flags&flags
}

func inJSON(t testing.TB, e *transcript.Entry) string {
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// precedes are the parts whose order matters; New states why.
var precedes = map[string][]string{
	"*ledger.sessions": {"*ledger.messages", "*ledger.tools", "*ledger.prompts"},
	"*ledger.messages": {"*ledger.requests"},
	"*ledger.requests": {"*ledger.tools", "*ledger.reported"},
}

// needs are the indexes of the preparers that each preparer needs, as New states it.
var needs = [][]int{1: {0}, 2: {0}, 3: {2}, 4: {0}, 5: {0, 4}, 6: {0, 5}, 8: nil}

// shuffle brings the preparers and the parts of a ledger in a random order that New
// permits.
func shuffle(l *Ledger, r *rand.Rand) {
	shuffleSlice(l.preparers, r, func(i, j int) bool { return slices.Contains(needs[j], i) })
	name := func(i int) string { return fmt.Sprintf("%T", l.keepers[len(l.keepers)-len(l.parts)+i]) }
	shuffleSlice(l.parts, r, func(i, j int) bool { return slices.Contains(precedes[name(i)], name(j)) })
}

// shuffleSlice shuffles elements, except that i stays before j if precedes(i, j).
func shuffleSlice[T any](all []T, r *rand.Rand, precedes func(i, j int) bool) {
	before, left := slices.Clone(all), r.Perm(len(all))
	for n := range all {
		k := slices.IndexFunc(left, func(j int) bool {
			return !slices.ContainsFunc(left, func(i int) bool { return precedes(i, j) })
		})
		all[n] = before[left[k]]
		left = slices.Delete(left, k, k+1)
	}
}

// The order of preparers and parts makes no difference, except as New states it: in
// scripts, and in random steps with small limits of labels.
func TestOrderOfParts(t *testing.T) {
	for order := range uint64(testsize.Of(20, 4)) {
		r := rand.New(rand.NewPCG(order, 3))
		t.Run(fmt.Sprint("order ", order), func(t *testing.T) {
			eachScript(t, func(s *script, _ string) {
				s.arrange = func(l *Ledger) { shuffle(l, r) }
				s.arrange(s.ledger)
				s.run()
			})
		})
	}
	for seed := range seeds() {
		p := newReplayer(seed, seed)
		steps := p.withScrapes(p.randomSteps(200))
		reference := apply(New(testOptions(), birth), steps)
		for order := range uint64(4) {
			l := New(testOptions(), birth)
			shuffle(l, rand.New(rand.NewPCG(order, seed)))
			if d := differ(apply(l, steps), reference); d != "" {
				t.Errorf("seed %d, order %d:\n%s", seed, order, d)
			}
		}
	}
}

// Each order that New states makes a difference.
func TestOrderThatMatters(t *testing.T) {
	untimed := []string{`{"type":"user","uuid":"u","sessionId":"s","cwd":"/p/web","message":{"content":"a"}}`}
	timed := []string{
		`{"type":"user","uuid":"v","timestamp":"2026-05-01T10:00:00Z","sessionId":"s","message":{"content":"b"}}`,
		`{"type":"assistant","timestamp":"2026-05-01T10:00:01Z","sessionId":"s","message":{"id":"a","model":"opus","stop_reason":"end_turn","usage":{}}}`,
	}
	other := strings.NewReplacer(`"v"`, `"w"`, "opus", "haiku", `"a"`, `"c"`).Replace(strings.Join(timed, "\n"))
	reported := `{"type":"cost-state","sessionId":"s","modelUsage":{"haiku":{"inputTokens":1}}}`
	for _, tt := range []struct {
		first, second string
		lines         []string
	}{
		{"*ledger.sessions", "*ledger.prompts", untimed},
		{"*ledger.messages", "*ledger.requests", append(timed[1:], strings.Split(other, "\n")...)},
		{"*ledger.requests", "*ledger.reported", append(timed, reported)},
	} {
		o := testOptions()
		o.Limits["model"] = 1
		l, swapped := New(o, birth), New(o, birth)
		index := func(name string) int {
			return slices.IndexFunc(l.parts, func(p part) bool { return fmt.Sprintf("%T", p) == name })
		}
		i, j := index(tt.first), index(tt.second)
		swapped.parts[i], swapped.parts[j] = swapped.parts[j], swapped.parts[i]
		for _, l := range []*Ledger{l, swapped} {
			openWith(l, testFile(1, "a.jsonl"), tt.lines...)
			l.FinalizeFile(1, birth)
		}
		if differ(swapped, l) == "" {
			t.Errorf("it makes no difference that %s precedes %s", tt.first, tt.second)
		}
	}
}

// differ returns how a ledger differs from another one in what it shows.
func differ(got, want *Ledger) string {
	d := difference(values(got), values(want))
	sessions := func(l *Ledger) string {
		return fmt.Sprintf("%+v\n", l.SessionList(SessionQuery{Limit: 1000}, birth).Sessions)
	}
	if a, b := sessions(got), sessions(want); a != b {
		d += "got sessions " + a + "want " + b
	}
	return d
}
