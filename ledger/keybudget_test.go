package ledger

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
)

// callLine is a line with a message and a tool call, which have a key each.
func callLine(id string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"u-%[1]s","message":{"id":"msg_0123456789abcdef%[1]s","model":"opus","stop_reason":"tool_use",`+
		`"usage":{"output_tokens":1},"content":[{"type":"tool_use","id":"toolu_0123456789%[1]s","name":"Bash","input":{}}]}}`, id)
}

// resultLine is a line with a result whose call is not known.
func resultLine(id string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"u-%[1]s","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0123456789%[1]s","content":"x"}]}}`, id)
}

// A budgetTest is a ledger with files of several sources.
type budgetTest struct {
	*Ledger
	t *testing.T
}

func newBudgetTest(t *testing.T, limit int) budgetTest {
	o := testOptions()
	o.MaxKeys = limit
	return budgetTest{New(o, birth), t}
}

// open adds a file of a source with n lines.
func (b *budgetTest) open(id FileID, source SourceLabels, n int, line func(id string) string) {
	f := testFile(id, fmt.Sprint(id, ".jsonl"))
	f.Source = source
	var lines []string
	for i := range n {
		lines = append(lines, line(fmt.Sprintf("%04d-%04d", id, i)))
	}
	openWith(b.Ledger, f, lines...)
	b.Settle()
}

// owners returns the files that have keys.
func (b *budgetTest) owners() []FileID {
	owners := make(map[FileID]bool)
	for _, m := range b.messages.counted.All() {
		owners[m.file] = true
	}
	return slices.Sorted(maps.Keys(owners))
}

// trim forgets keys, and checks that no counter changes and that the state is valid.
func (b *budgetTest) trim() []Trimmed {
	b.t.Helper()
	before := value(b.Ledger, "claude_requests_total")
	all := b.TrimKeys(birth)
	if b.HasManyKeys() {
		b.t.Error("there are too many keys after they were trimmed")
	}
	if got := value(b.Ledger, "claude_requests_total"); got != before {
		b.t.Errorf("got %d requests, want %d", got, before)
	}
	reopened(b.t, b.Ledger)
	return all
}

func (b *budgetTest) check(what string, got, want any) {
	b.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// The oldest files of the source are forgotten, files that do not exist any more
// first, and no file of another source.
func TestTrimKeys(t *testing.T) {
	b := newBudgetTest(t, 160)
	b.open(1, "other", 60, callLine)
	b.MarkMissing(1)
	for id := FileID(2); id <= 5; id++ {
		b.open(id, "source", 20, callLine) // 40 rows
	}
	b.check("owners", b.owners(), []FileID{1, 2, 3, 4, 5})
	b.check("may have many keys", b.HasManyKeys(), true) // together with the other source
	b.check("trimmed", b.trim(), []Trimmed(nil))
	b.check("may have many keys", b.HasManyKeys(), false)

	b.MarkMissing(4)
	b.MarkMissing(3)
	b.open(6, "source", 20, callLine)
	b.check("may have many keys", b.HasManyKeys(), true)
	b.check("trimmed", b.trim(), []Trimmed{{"source", 88, []FileID{3, 4}}})
	b.check("owners", b.owners(), []FileID{1, 2, 5, 6})

	b.open(7, "source", 40, callLine)
	b.check("trimmed", b.trim(), []Trimmed{{"source", 80, nil}})
	b.check("owners", b.owners(), []FileID{1, 6, 7})
	b.check("files", b.files.Len(), 5) // present files stay known

	requests := value(b.Ledger, "claude_requests_total")
	b.open(8, "source", 0, callLine)
	b.AddBatch(batchOf(testFile(8, "8.jsonl"), birth, callLine("0007-0000"), callLine("0001-0000"), callLine("0002-0000")))
	b.Settle()
	b.check("requests: a known key, another source's, and a forgotten key", value(b.Ledger, "claude_requests_total")-requests, 1)
}

// Everything that a source can let grow counts: results without a call, files without
// a line, and files that repeat the lines of a file that stays.
func TestTrimOtherRows(t *testing.T) {
	for name, add := range map[string]func(b *budgetTest, id FileID){
		"results": func(b *budgetTest, id FileID) { b.open(id, "source", 20, resultLine) },
		"empty":   func(b *budgetTest, id FileID) { b.open(id, "source", 0, resultLine) },
		"copies": func(b *budgetTest, id FileID) {
			b.open(id, "source", 4, func(id string) string { return callLine("0001" + id[4:]) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBudgetTest(t, 160)
			b.open(1, "source", 4, callLine)
			for id := FileID(2); id < 200; id++ {
				if add(&b, id); b.HasManyKeys() {
					b.trim()
				}
				b.MarkMissing(id)
			}
			rows := 0
			for _, n := range b.ownersBySource()["source"] {
				rows += n
			}
			if limit := 160 + 2*20; rows > limit || b.files.Len() > limit/missingFileRows+1 || b.groups.parents.Len() > b.files.Len() {
				t.Errorf("got %d rows of %d files, %d of them in groups", rows, b.files.Len(), b.groups.parents.Len())
			}
		})
	}
}

// Without a limit, or below it, nothing is counted.
func TestKeyBudgetOptions(t *testing.T) {
	for limit, want := range map[int]bool{0: false, 80: true, 1000: false} {
		b := newBudgetTest(t, limit)
		b.open(1, "source", 50, callLine)
		b.check(fmt.Sprint("many keys with the limit ", limit), b.HasManyKeys(), want)
		b = budgetTest{reopened(t, b.Ledger), t}
		b.check(fmt.Sprint("many keys after a restart with the limit ", limit), b.HasManyKeys(), want)
	}
}

// When some files of a group are removed, the others stay a group.
func TestPartsOfGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		g := newFileGroups(new(table.Set))
		for range 60 {
			g.join(FileID(1+r.IntN(100)), FileID(1+r.IntN(100)))
		}
		before, gone := g.flat(), make(map[FileID]bool)
		for range r.IntN(80) {
			gone[FileID(1+r.IntN(100))] = true
		}
		g.drop(func(f FileID) bool { return gone[f] })
		if !g.reindex() {
			t.Fatal("some path does not end")
		}
		for a := FileID(1); a <= 100; a++ {
			if gone[a] && (g.parents.Has(a) || g.size[a] != 0) {
				t.Fatalf("%d was not removed", a)
			}
			for b := FileID(1); b <= 100; b++ {
				if together := g.root(a) == g.root(b); !gone[a] && !gone[b] && together != (root(before, a) == root(before, b)) {
					t.Fatalf("files %d and %d are in one group: %t", a, b, together)
				}
			}
		}
	}
}
