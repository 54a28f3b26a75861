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

	"github.com/ccwatchd/ccwatchd/codec"
)

// depth is how many links a look-up of f follows.
func (g *fileGroups) depth(f FileID) (links int) {
	for {
		parent, ok := g.parent[f]
		if !ok {
			return links
		}
		f, links = parent, links+1
	}
}

// linear fails unless four times as much takes hardly more than four times the work.
func linear(t *testing.T, work func(n int) int) {
	t.Helper()
	const n = 500
	once, fourfold := work(n), work(4*n)
	t.Logf("%d steps for %d, %d for %d", once, n, fourfold, 4*n)
	if once < n || fourfold > 5*once {
		t.Errorf("it takes %d steps for %d, and %d for %d", once, n, fourfold, 4*n)
	}
}

// A file that repeats what many small files hold takes work in proportion to its
// lines, in whatever order it repeats them.
func TestRepeaterTakesLinearWork(t *testing.T) {
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
					f := testFile(FileID(i+1), "a.jsonl")
					l.Open(f)
					l.AddBatch(batchOf(f, birth, line(i)))
				}
				repeater := testFile(FileID(n+1), "b.jsonl")
				l.Open(repeater)
				for i := range n {
					i = order(i, n)
					links += 1 + l.groups.depth(repeater.ID) + l.groups.depth(FileID(i+1))
					l.AddBatch(batchOf(repeater, birth, line(i)))
				}
				if got := len(l.groups.parent); got != n {
					t.Errorf("%d of %d files are in the group of another one", got, n)
				}
				return links
			})
		})
	}
}

// The smaller group becomes a part of the larger one, so that no path is long even if
// only roots are ever asked for.
func TestSmallerGroupJoinsTheLarger(t *testing.T) {
	const n = 1 << 10
	g := newFileGroups()
	for i := FileID(n); i > 1; i-- {
		g.join(i-1, g.find(i))
	}
	for f := range FileID(n) {
		if got := g.depth(f + 1); got > 1 {
			t.Fatalf("file %d is at a depth of %d", f+1, got)
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
		t.Fatalf("a path has %d links", got)
	}
	between := g.parent[deepest]
	g.root(deepest)
	if g.depth(deepest) != 1 || g.depth(between) != 1 {
		t.Error("a look-up has not compressed its path")
	}
}

// Groups that are saved and read back go on as those that are not.
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
				t.Fatalf("sizes came back as %v, want %v", again.size, saved.size)
			}
			saved = again
		}
		if f := some(); kept.root(f) != saved.root(f) {
			t.Fatalf("the root of %d is %d, and saved it is %d", f, kept.root(f), saved.root(f))
		}
	}
	if !reflect.DeepEqual(kept.flat(), saved.flat()) {
		t.Error("other groups came out")
	}
}

// Groups in which a look-up might not end are refused.
func TestFileGroupsThatLoop(t *testing.T) {
	for name, tt := range map[string]struct {
		parent map[FileID]FileID
		want   error
	}{
		"a file in its own group":     {map[FileID]FileID{1: 1}, codec.ErrCorrupt},
		"files in each other's group": {map[FileID]FileID{1: 2, 2: 1}, codec.ErrCorrupt},
		"a way round":                 {map[FileID]FileID{1: 2, 2: 3, 3: 1}, codec.ErrCorrupt},
		"a path":                      {map[FileID]FileID{1: 2, 2: 3}, codec.ErrCorrupt},
		"a group":                     {map[FileID]FileID{1: 2, 3: 2}, nil},
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

// When files are forgotten, groups with a file that is known stay as they are, and
// nothing is left of the others.
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
				t.Fatalf("file %d is in the group of %d, before %d, which lives: %t", f, g.root(f), root, lives)
			}
			if _, stays := g.size[f]; stays && !lives {
				t.Fatalf("the size of the group of %d is left", f)
			}
		}
	}
}
