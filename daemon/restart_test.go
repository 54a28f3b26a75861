package daemon

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var restartsFlag = flag.Int("restarts", 9, "stop and start daemons so often with each seed")

// However often a daemon ends, and whether it is told to or dies, its
// successors come to what one reading at rest comes to, and nobody who looks
// all the time can tell.
func TestRestarts(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		w := newWorld(t)
		of, drop := w.vary(seed)
		if seed%3 == 0 { // values at a label's cap depend on the order too
			w.settings.Ledger.Limits = map[string]int{"project": 2, "tool": 2, "model": 2}
			drop = append(slices.Clone(drop), "project", "tool", "mcp_server", "model", "ccwatchd_label_overflow_total")
		}
		r := rand.New(rand.NewPCG(seed, 2))
		all := pieces(seed, of)
		before := r.IntN(len(all) / 4)
		if err := write(w.dir, all[:before]); err != nil {
			t.Fatal(err)
		}
		w.start()
		stop := w.keepScraping()
		defer stop()
		for i := range *restartsFlag {
			upTo := before + (len(all)-before)*(i+1)/(*restartsFlag)
			written := make(chan error, 1)
			go func(some []piece) { written <- write(w.dir, some) }(all[before:upTo])
			before = upTo
			switch r.IntN(4) {
			case 0:
				w.restart()
			case 1:
				w.probe(r)
			default:
				w.die(r, func() {})
			}
			if err := <-written; err != nil {
				t.Fatal(err)
			}
		}
		w.quiet()
		w.settlesTo(w.once(drop...), drop...)
	})
}

// die replaces the daemon by one that finds what was on disk when the last
// scrape had been answered, or a little more. In between something happens; the
// old one goes on all the while, but nobody sees it any more.
func (w *world) die(r *rand.Rand, between func()) {
	w.Helper()
	state := w.TempDir()
	w.scrapes.mu.Lock()
	w.shown.Store(nil)
	w.copyState(state, r)
	w.scrapes.mu.Unlock()
	old, stop := w.d, w.stop
	w.state = state
	between()
	w.start()
	if err := errors.Join(stop(), old.Close()); err != nil {
		w.Error(err)
	}
}

// probe sees what would come if the daemon died now, and lets it live.
func (w *world) probe(r *rand.Rand) {
	w.Helper()
	other := &world{TB: w.TB, dir: w.dir, state: w.TempDir(), settings: w.settings, log: w.log}
	other.ahead.Store(w.ahead.Load())
	w.scrapes.mu.Lock()
	w.copyState(other.state, r)
	other.scrapes = w.scrapes.after()
	w.scrapes.mu.Unlock()
	other.start()
	other.totals()
	other.halt()
}

// copyState copies the state as it is at one moment. Of the newest journal what
// no scrape depends on may be missing.
func (w *world) copyState(to string, r *rand.Rand) {
	w.Helper()
	whileLocked(w.d.state, func() { // nothing is appended meanwhile
		w.copyLocked(to)
		w.tear(to, r)
	})
}

func (w *world) copyLocked(to string) {
	w.Helper()
	for {
		before := w.stateFiles()
		copyDir(w, w.state, to)
		if slices.Equal(before, w.stateFiles()) {
			return
		}
		// A snapshot was written meanwhile.
		if err := os.RemoveAll(to); err != nil {
			w.Fatal(err)
		}
	}
}

// stateFiles tells one set of files of the state from another.
func (w *world) stateFiles() []string {
	w.Helper()
	entries, err := os.ReadDir(w.state)
	if err != nil {
		w.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			w.Fatal(err)
		}
		all = append(all, e.Name()+info.ModTime().String())
	}
	return all
}

// tear cuts the newest journal anywhere behind what was there at the last
// scrape.
func (w *world) tear(dir string, r *rand.Rand) {
	w.Helper()
	newest := newestJournal(w, dir)
	if newest == "" || r == nil || r.IntN(2) == 0 {
		return
	}
	info, err := os.Stat(newest)
	if err != nil {
		w.Fatal(err)
	}
	if keep := w.scrapes.journal[filepath.Base(newest)]; keep < info.Size() {
		if err := os.Truncate(newest, keep+r.Int64N(info.Size()-keep)); err != nil {
			w.Fatal(err)
		}
	}
}

// newestJournal returns the path of the journal that is written to, or "".
func newestJournal(t testing.TB, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "journal-*"))
	if err != nil {
		t.Fatal(err)
	}
	found = slices.DeleteFunc(found, func(name string) bool { return strings.Contains(name, ".damaged") })
	if len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, func(a, b string) int { // by their numbers
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// What comes out of a snapshot and a journal is the state that went in, label
// by label and key by key.
func TestReplayGivesTheState(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		w := newWorld(t)
		of, _ := w.vary(seed)
		w.start()
		stop := w.keepScraping()
		defer stop()
		if err := write(w.dir, pieces(seed, of)); err != nil {
			t.Fatal(err)
		}
		if seed%2 == 0 {
			w.quiet()
		}
		w.eventually("something to compare", func() bool { return len(w.totals()) > 50 })
		copied := w.TempDir()
		_, want, _ := w.d.state.Encode(func() (uint64, error) { w.copyLocked(copied); return 0, nil })
		files := 0
		eachField(want, func(n protowire.Number, field []byte) []byte {
			if n == 1 {
				files++
			}
			return field
		})
		slices.Sort(want)
		o := w.options()
		o.StateDir = copied
		d, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = d.Close() }()
		if d.state.FileCount() != files {
			t.Errorf("%d files are known, want %d", d.state.FileCount(), files)
		}
		if got := sortedBytes(d.state); !bytes.Equal(got, want) {
			t.Errorf("another state comes out, of %d bytes, want %d", len(got), len(want))
		}
	})
}
