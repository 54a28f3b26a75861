package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// depth returns the number of links that a lookup of f follows.
func (g *fileGroups) depth(f FileID) (links int) {
	for {
		parent, ok := g.parent[f]
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
				if got := len(l.groups.parent); got != n {
					t.Errorf("got %d of %d files in the group of another one", got, n)
				}
				return links
			})
		})
	}
}

// The smaller group is merged into the larger one, so that paths are short even if root
// is only called for roots.
func TestSmallerGroupJoinsTheLarger(t *testing.T) {
	const n = 1 << 10
	g := newFileGroups()
	for i := FileID(n); i > 1; i-- {
		g.join(i-1, g.find(i))
	}
	for f := range FileID(n) {
		if got := g.depth(f + 1); got > 1 {
			t.Fatalf("file %d: got depth %d, want at most 1", f+1, got)
		}
	}
	g = newFileGroups() // groups of the same size make the longest paths
	for size := FileID(1); size < n; size *= 2 {
		for f := FileID(1); f < n; f += 2 * size {
			g.join(g.find(f), g.find(f+size))
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
	between := g.parent[deepest]
	g.root(deepest)
	if g.depth(deepest) != 1 || g.depth(between) != 1 {
		t.Error("root did not compress the path")
	}
}

// Saved groups behave like those that were not saved.
func TestFileGroupsSaved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	kept, saved := newFileGroups(), newFileGroups()
	some := func() FileID { return FileID(r.IntN(200)) }
	for i := range 300 {
		a, b := some(), some()
		kept.join(a, b)
		saved.join(a, b)
		if i%10 == 0 {
			c := codec.NewWriter(nil)
			saved.code(c, 1)
			again := newFileGroups()
			if again.code(codec.NewReader(c.Bytes()), 1); !maps.Equal(again.size, saved.size) {
				t.Fatalf("got sizes %v, want %v", again.size, saved.size)
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

// Groups in which a lookup might not end are refused.
func TestFileGroupsThatLoop(t *testing.T) {
	for name, tt := range map[string]struct {
		parent map[FileID]FileID
		want   error
	}{
		"a file that is its own parent":       {map[FileID]FileID{1: 1}, codec.ErrCorrupt},
		"files that are each other's parents": {map[FileID]FileID{1: 2, 2: 1}, codec.ErrCorrupt},
		"a cycle":                             {map[FileID]FileID{1: 2, 2: 3, 3: 1}, codec.ErrCorrupt},
		"a path":                              {map[FileID]FileID{1: 2, 2: 3}, codec.ErrCorrupt},
		"a group":                             {map[FileID]FileID{1: 2, 3: 2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := codec.NewWriter(nil)
			files := slices.Sorted(maps.Keys(tt.parent))
			var parents []FileID
			for _, f := range files {
				parents = append(parents, tt.parent[f])
			}
			codec.Uints(w, 1, &files)
			codec.Uints(w, 2, &parents)
			g := newFileGroups()
			r := codec.NewReader(w.Bytes())
			if g.code(r, 1); !errors.Is(r.Done(), tt.want) {
				t.Errorf("got %v, want %v", r.Done(), tt.want)
			}
		})
	}
}

// When files are forgotten, groups with a known file do not change, and the others are
// deleted.
func TestForgottenGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		g := newFileGroups()
		for range 60 {
			g.join(FileID(r.IntN(100)), FileID(r.IntN(100)))
		}
		before, living := g.flat(), make(map[FileID]bool)
		for range 5 {
			living[g.root(FileID(r.IntN(100)))] = true
		}
		g.retain(living)
		for f := range FileID(100) {
			root, grouped := before[f]
			if !grouped {
				root = f
			}
			lives := living[root]
			if _, stays := g.parent[f]; stays != (grouped && lives) || lives && g.root(f) != root {
				t.Fatalf("file %d: got root %d, want %d (retained: %t)", f, g.root(f), root, lives)
			}
			if _, stays := g.size[f]; stays && !lives {
				t.Fatalf("the size of the group of %d was not deleted", f)
			}
		}
	}
}
