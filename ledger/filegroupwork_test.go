package ledger

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// depth returns the number of links that a lookup of f follows.
func (g *fileGroups) depth(f FileID) (links int) {
	for {
		parent, ok := g.parents.Get(f)
		if !ok {
			return links
		}
		f, links = parent, links+1
	}
}

// linear fails unless the work for 4n is at most 5 times that for n.
func linear(t *testing.T, work func(n int) int) {
	t.Helper()
	const n = 500
	once, fourfold := work(n), work(4*n)
	t.Logf("%d steps for %d, %d for %d", once, n, fourfold, 4*n)
	if once < n || fourfold > 5*once {
		t.Errorf("got %d steps for %d and %d for %d, want linear work", once, n, fourfold, 4*n)
	}
}

// The work for a file that repeats the contents of many small files is proportional to
// its lines, in any order.
func TestRepeaterTakesLinearWork(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	for name, order := range map[string]func(i, n int) int{
		"in order":  func(i, _ int) int { return i },
		"reversed":  func(i, n int) int { return n - 1 - i },
		"from both": func(i, n int) int { return i%2*(n-1-i/2) + (1-i%2)*(i/2) },
		"shuffled":  func(i, n int) int { return rand.New(rand.NewPCG(1, 1)).Perm(n)[i] },
	} {
		t.Run(name, func(t *testing.T) {
			linear(t, func(n int) (links int) {
				l := New(testOptions(), birth)
				line := func(i int) string {
					return fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s%d","message":{"content":"hi %d"}}`, i, i, i)
				}
				for i := range n {
					openWith(l, testFile(FileID(i+1), "a.jsonl"), line(i))
				}
				repeater := testFile(FileID(n+1), "b.jsonl")
				l.Open(repeater)
				for i := range n {
					i = order(i, n)
					links += 1 + l.groups.depth(repeater.ID) + l.groups.depth(FileID(i+1))
					l.AddBatch(batchOf(repeater, birth, line(i)))
				}
				if got := l.groups.parents.Len(); got != n {
					t.Errorf("got %d of %d files in the group of another one", got, n)
				}
				return links
			})
		})
	}
}

// The smaller group is merged into the larger one, so that paths are short.
func TestSmallerGroupJoinsTheLarger(t *testing.T) {
	const n = 1 << 10
	g := newFileGroups(new(table.Set))
	for i := FileID(n); i > 1; i-- {
		g.join(i-1, g.root(i))
	}
	for f := range FileID(n) {
		if got := g.depth(f + 1); got > 1 {
			t.Fatalf("file %d: got depth %d, want at most 1", f+1, got)
		}
	}
	g = newFileGroups(new(table.Set)) // groups of the same size make the longest paths
	for size := FileID(1); size < n; size *= 2 {
		for f := FileID(1); f < n; f += 2 * size {
			g.join(g.root(f), g.root(f+size))
		}
	}
	deepest := FileID(1)
	for f := range FileID(n) {
		if g.depth(f+1) > g.depth(deepest) {
			deepest = f + 1
		}
	}
	if got := g.depth(deepest); got > bits.Len(n-1) || got < 3 {
		t.Fatalf("got a path of %d links", got)
	}
}

// Saved groups behave like those that were not saved.
func TestFileGroupsSaved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	set := new(table.Set)
	kept, saved := newFileGroups(new(table.Set)), newFileGroups(set)
	some := func() FileID { return FileID(r.IntN(200)) }
	for i := range 300 {
		a, b := some(), some()
		kept.join(a, b)
		saved.join(a, b)
		if i%10 == 0 {
			w := table.NewWriter(nil)
			set.Code(w)
			set = new(table.Set)
			again, r := newFileGroups(set), table.NewReader(w.Bytes())
			if set.Code(r); r.Done() != nil || !again.reindex() || !maps.Equal(again.size, saved.size) {
				t.Fatalf("got sizes %v, want %v: %v", again.size, saved.size, r.Err())
			}
			saved = again
		}
		if f := some(); kept.root(f) != saved.root(f) {
			t.Fatalf("root of %d: got %[3]d after saving, want %[2]d", f, kept.root(f), saved.root(f))
		}
	}
	if !reflect.DeepEqual(kept.flat(), saved.flat()) {
		t.Error("saved groups differ")
	}
}

// Groups with a cycle are refused.
func TestFileGroupsThatLoop(t *testing.T) {
	for name, tt := range map[string]struct {
		parent map[FileID]FileID
		want   bool
	}{
		"a file that is its own parent":       {map[FileID]FileID{1: 1}, false},
		"files that are each other's parents": {map[FileID]FileID{1: 2, 2: 1}, false},
		"a cycle":                             {map[FileID]FileID{1: 2, 2: 3, 3: 1}, false},
		"a path into a cycle":                 {map[FileID]FileID{5: 1, 1: 2, 2: 1}, false},
		"a path":                              {map[FileID]FileID{1: 2, 2: 3}, true},
		"a group":                             {map[FileID]FileID{1: 2, 3: 2}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFileGroups(new(table.Set))
			for f, parent := range tt.parent {
				g.parents.Put(f, parent)
			}
			if got := g.reindex(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// root returns the root of a file. roots has the files that are not roots.
func root(roots map[FileID]FileID, f FileID) FileID {
	if r, ok := roots[f]; ok {
		return r
	}
	return f
}

// When files are forgotten, groups with a known file do not change, and groups without
// one are deleted.
func TestForgottenGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		g := newFileGroups(new(table.Set))
		for range 60 {
			g.join(FileID(r.IntN(100)), FileID(r.IntN(100)))
		}
		before, living := g.flat(), make(map[FileID]bool)
		for range 5 {
			living[g.root(FileID(r.IntN(100)))] = true
		}
		g.drop(func(f FileID) bool { return !living[root(before, f)] })
		for f := range FileID(100) {
			_, grouped := before[f]
			lives := living[root(before, f)]
			if stays := g.parents.Has(f); stays != (grouped && lives) || lives && g.root(f) != root(before, f) {
				t.Fatalf("file %d: got root %d, want %d (retained: %t)", f, g.root(f), root(before, f), lives)
			}
			if _, stays := g.size[f]; stays && !lives {
				t.Fatalf("the size of the group of %d was not deleted", f)
			}
		}
	}
}
