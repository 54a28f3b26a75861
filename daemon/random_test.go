package daemon

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/statetest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

var (
	seedFlag     = flag.Uint64("seed", 0, "run the random tests with this seed only")
	seedsFlag    = flag.Int("seeds", 6, "run the random tests with this many seeds")
	restartsFlag = flag.Int("restarts", 9, "stop or crash the daemon this many times for each seed")
)

// eachSeed runs a test with the seeds that the flags ask for.
func eachSeed(t *testing.T, test func(h *harness, seed uint64)) {
	t.Helper()
	first, n := uint64(1), *seedsFlag
	if *seedFlag != 0 {
		first, n = *seedFlag, 1
	} else if testsize.Race() {
		n = min(n, 2)
	}
	cases := make(map[string]uint64)
	for seed := first; seed < first+uint64(n); seed++ {
		cases[fmt.Sprintf("seed=%d", seed)] = seed
	}
	runCases(t, cases, test)
}

// A piece is text that is appended to a file at once.
type piece struct{ name, text string }

// pieces splits the files of a tree anywhere, and shuffles the pieces of different
// files.
func pieces(seed uint64, files tree) (all []piece) {
	r := rand.New(rand.NewPCG(seed, 1))
	rest, left := maps.Clone(files), files.Names()
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

func (h *harness) appendPieces(all []piece) error {
	for _, p := range all {
		if err := transcripttest.AppendFile(h.Path(p.name), p.text); err != nil {
			return err
		}
	}
	return nil
}

// generate varies the settings, and returns a tree and the families and labels that
// depend on the order of reading.
func (h *harness) generate(seed uint64) (files tree, drop []string) {
	h.settings.Scan = []time.Duration{time.Hour, 20 * time.Millisecond, 100 * time.Millisecond}[seed%3]
	if seed%4 == 3 {
		h.settings.MaxWatches, h.settings.Scan = -1, 100*time.Millisecond
	}
	if seed%5 == 4 {
		h.settings.Checkpoint = 20 * time.Millisecond
	}
	copies := seed%2 == 1
	drop = timingDependent
	if copies {
		drop = orderDependent
	}
	return transcripttest.Generate(seed, transcripttest.Options{Copies: copies}), drop
}

// A daemon that follows growing files counts the same as one pass over the finished
// files.
func TestFollowingEqualsReadingOnce(t *testing.T) {
	eachSeed(t, func(h *harness, seed uint64) {
		files, drop := h.generate(seed)
		h.start()
		defer h.keepScraping()()
		h.Must(h.appendPieces(pieces(seed, files)))
		h.expireMessageTimeout()
		h.waitForAllAndRestart(h.totalsOnce(drop...), drop...)
	})
}

// Daemons that stop or crash while files are written have the same totals as one pass
// over the files, and every scrape on the way is consistent.
func TestRestarts(t *testing.T) {
	eachSeed(t, func(h *harness, seed uint64) {
		files, drop := h.generate(seed)
		if seed%3 == 0 { // which values are within a limit depends on the order, too
			h.settings.Ledger.Limits = map[string]int{"project": 2, "tool": 2, "model": 2}
			drop = append(slices.Clone(drop), "project", "tool", "mcp_server", "model", "ccwatchd_label_overflow_total")
		}
		r := rand.New(rand.NewPCG(seed, 2))
		all := pieces(seed, files)
		before := r.IntN(len(all) / 4)
		h.Must(h.appendPieces(all[:before]))
		h.start()
		defer h.keepScraping()()
		for i := range *restartsFlag {
			upTo := before + (len(all)-before)*(i+1)/(*restartsFlag)
			written := make(chan error, 1)
			go func(some []piece) { written <- h.appendPieces(some) }(all[before:upTo])
			before = upTo
			switch r.IntN(4) {
			case 0:
				h.restart()
			case 1:
				h.simulateCrash(r)
			default:
				h.crash(r, func() {})
			}
			h.Must(<-written)
		}
		h.expireMessageTimeout()
		h.waitForAllAndRestart(h.totalsOnce(drop...), drop...)
	})
}

// A state restored from snapshot and journal equals the saved state.
func TestRestoredStateIsEqual(t *testing.T) {
	eachSeed(t, func(h *harness, seed uint64) {
		files, _ := h.generate(seed)
		h.start()
		defer h.keepScraping()()
		h.Must(h.appendPieces(pieces(seed, files)))
		if seed%2 == 0 {
			h.expireMessageTimeout()
		}
		h.waitUntil("there is something to compare", func() bool { return len(h.totals()) > 50 })
		copied := filepath.Join(h.TempDir(), "state")
		_, want, _ := h.d.state.Encode(func() (uint64, error) { h.copyStateLocked(copied); return 0, nil })
		saved, err := statetest.FileChanges(want)
		h.Must(err)
		d := h.withState(copied).newDaemon()
		checkEqual(h, "files", d.known.Len(), len(saved))
		got := encoded(d.state)
		h.Must(d.Close())
		if slices.Sort(got); !bytes.Equal(got, sortedBytes(want)) {
			h.Errorf("got another state, of %d bytes, want %d", len(got), len(want))
		}
	})
}

// sortedBytes returns the bytes of an encoded state in order, independent of the order
// of maps. The result is unlikely to be equal for different states.
func sortedBytes(encoded []byte) []byte { return slices.Sorted(slices.Values(encoded)) }
