package daemon

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/watcher"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run the random tests with this seed only")
	seedsFlag = flag.Int("seeds", 6, "run the random tests with so many seeds")
)

// eachSeed runs a test with the seeds that the flags ask for.
func eachSeed(t *testing.T, test func(t *testing.T, seed uint64)) {
	t.Helper()
	first, n := uint64(1), *seedsFlag
	if *seedFlag != 0 {
		first, n = *seedFlag, 1
	} else if testing.Short() {
		n = min(n, 2)
	}
	for seed := first; seed < first+uint64(n); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			test(t, seed)
		})
	}
}

// A piece is what is appended to a file at once.
type piece struct{ name, bytes string }

// pieces cuts a tree anywhere, and puts the pieces of all files into one order.
func pieces(seed uint64, of tree) []piece {
	r := rand.New(rand.NewPCG(seed, 1))
	rest, left := maps.Clone(of), of.Names()
	var all []piece
	for len(left) > 0 {
		i := r.IntN(len(left))
		name := left[i]
		size := 1 + r.IntN(3000)
		if r.IntN(4) == 0 {
			size = 1 + r.IntN(20)
		}
		size = min(size, len(rest[name]))
		all = append(all, piece{name, rest[name][:size]})
		if rest[name] = rest[name][size:]; rest[name] == "" {
			left = slices.Delete(left, i, i+1)
		}
	}
	return all
}

// write appends the pieces to the files below dir.
func write(dir string, all []piece) error {
	for _, p := range all {
		if err := appendTo(filepath.Join(dir, filepath.FromSlash(p.name)), p.bytes); err != nil {
			return err
		}
	}
	return nil
}

func appendTo(name, piece string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(piece)
	return errors.Join(err, f.Close())
}

// vary changes the settings by the seed, and returns a tree of it and what of its
// totals depends on the order in which it is read.
func (w *world) vary(seed uint64) (of tree, drop []string) {
	w.settings.Scan = []time.Duration{time.Hour, 20 * time.Millisecond, 100 * time.Millisecond}[seed%3]
	if seed%4 == 3 {
		w.settings.MaxWatches, w.settings.Scan = -1, 100*time.Millisecond
	}
	if seed%5 == 4 {
		w.settings.Checkpoint = 20 * time.Millisecond
	}
	copies := seed%2 == 1
	drop = always
	if copies {
		drop = unordered
	}
	return generate(seed, options{Copies: copies}), drop
}

// While a tree is written the daemon comes to what one reading of it at rest
// comes to, whatever the order in which it came to see it.
func TestWrittenWhileItWatches(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		w := newWorld(t)
		of, drop := w.vary(seed)
		w.start()
		stop := w.keepScraping()
		defer stop()
		if err := write(w.dir, pieces(seed, of)); err != nil {
			t.Fatal(err)
		}
		w.quiet()
		w.settlesTo(w.once(drop...), drop...)
	})
}

// What is made while a daemon starts is not left to the next walk.
func TestWrittenWhileItStarts(t *testing.T) {
	t.Parallel()
	for i := range 2 {
		w := newWorld(t)
		w.settings.Scan = time.Hour
		for j := range 200 { // so that the walk takes a while
			w.write(fmt.Sprintf("p%d/a.jsonl", j), "")
		}
		w.launch()
		for j := range 200 {
			w.write(fmt.Sprintf("p%d/b.jsonl", j), said(fmt.Sprint(i, j), 1))
		}
		w.shows(counted(200, 200))
		w.halt()
	}
}

// The same without luck: a file that the first walk has missed, and its event
// has not.
func TestFileMissedByTheFirstWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	w.halt()
	w.write("p/a.jsonl", said("a", 2))
	d := w.opened()
	defer func() { _ = d.Close() }()
	e := newEngine(d)
	defer e.stop()
	e.readAll(t.Context(), watcher.Update{Tree: []watcher.FoundFile{}, Dirty: []watcher.File{{Rel: filepath.Join("p", "a.jsonl")}}})
	d.state.Settle()
	d.state.Release(d.state.NewestPending())
	if got := countedBy(d.state, aside...)[requests]; got != 2 {
		t.Errorf("%s is %d, want 2", requests, got)
	}
}

// A rewriter names projects, and does something when it is asked to.
type rewriter struct {
	labeller
	once func(cwd string)
}

func (r rewriter) Project(cwd string) string {
	r.once(cwd)
	return r.labeller.Project(cwd)
}

// A file that is rewritten between its reading and the taking of its mark has
// not been read.
func TestRewrittenWhileItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var once sync.Once
	w.settings.Labeller = rewriter{once: func(string) {
		once.Do(func() {
			f, err := os.OpenFile(w.path("p/a.jsonl"), os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			_, err = f.WriteString(said("b", 3))
			if err := errors.Join(err, f.Close()); err != nil {
				t.Error(err)
			}
		})
	}}
	w.write("p/a.jsonl", said("a", 3))
	w.start()
	w.shows(counted(6, 2))
}
