package daemon

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// snapshotPath returns the path of the snapshot in a state directory.
func snapshotPath(_ testing.TB, dir string) string { return filepath.Join(dir, "state") }

// newestJournal returns the path of the journal that is appended to, or "".
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
	return slices.MaxFunc(found, func(a, b string) int { // by number
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// crash starts a new daemon with a copy of the state directory from the moment of the
// last scrape or, with r, from some time later. It calls between before the start. The
// old daemon keeps running until then, but is not scraped.
func (h *harness) crash(r *rand.Rand, between func()) {
	h.Helper()
	dir := h.TempDir()
	h.scraper.mu.Lock()
	h.current.Store(nil)
	h.copyState(dir, r)
	h.scraper.mu.Unlock()
	old, stop := h.d, h.stopRun
	h.stateDir = dir
	between()
	h.start()
	if err := errors.Join(stop(), old.Close()); err != nil {
		h.Error(err)
	}
}

// simulateCrash checks a scrape after a crash, and leaves the daemon running.
func (h *harness) simulateCrash(r *rand.Rand) {
	h.Helper()
	other := h.withState(h.TempDir())
	h.scraper.mu.Lock()
	h.copyState(other.stateDir, r)
	other.scraper = h.scraper.clone()
	h.scraper.mu.Unlock()
	other.start()
	other.totals()
	other.stop()
}

// copyState copies the state directory. With r, the newest journal may lose frames that
// were appended after the last scrape.
func (h *harness) copyState(to string, r *rand.Rand) {
	h.Helper()
	whileLocked(h.d.state, func() { // nothing is appended
		h.copyStateLocked(to)
		if r != nil && r.IntN(2) == 0 {
			h.truncateJournal(to, r)
		}
	})
}

func (h *harness) copyStateLocked(to string) {
	h.Helper()
	for {
		files := transcripttest.ReadTree(h, h.stateDir)
		if maps.Equal(files, transcripttest.ReadTree(h, h.stateDir)) { // no snapshot is being written
			files.Write(h, to)
			return
		}
	}
}

// truncateJournal truncates the newest journal, but not below its size at the last
// scrape.
func (h *harness) truncateJournal(dir string, r *rand.Rand) {
	h.Helper()
	newest := newestJournal(h, dir)
	if newest == "" {
		return
	}
	size := fileSize(h, newest)
	if keep := h.scraper.journal[filepath.Base(newest)]; keep < size {
		h.Must(os.Truncate(newest, keep+r.Int64N(size-keep)))
	}
}

func fileSize(t testing.TB, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// snapshotTime returns when the snapshot was written.
func (h *harness) snapshotTime() time.Time {
	h.Helper()
	info, err := os.Stat(snapshotPath(h, h.stateDir))
	h.Must(err)
	return info.ModTime()
}

// flipBit changes one bit of a byte of a file.
func flipBit(name string, at int64) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	b[at] ^= 1 << (at % 8)
	return os.WriteFile(name, b, 0o600)
}

// A frame is the position of a frame in a journal.
type frame struct{ from, to int64 }

// framesOf returns the frames of the newest journal.
func framesOf(t testing.TB, dir string) (all []frame) {
	t.Helper()
	b := []byte(transcripttest.ReadTree(t, dir)[filepath.Base(newestJournal(t, dir))])
	length := func(offset int64) int64 { return int64(binary.LittleEndian.Uint32(b[offset:])) }
	for offset := headerFrame + frameLength + length(headerFrame); offset < int64(len(b)); {
		end := offset + frameLength + length(offset)
		all = append(all, frame{offset, end})
		offset = end
	}
	checkEqual(t, "end of the last frame", all[len(all)-1].to, int64(len(b)))
	return all
}

// appendFrame returns a change that appends a frame to the newest journal.
func appendFrame(content []byte) stateChange {
	return func(t testing.TB, dir string) error {
		frame := binary.LittleEndian.AppendUint32(nil, uint32(len(content)))
		frame = binary.LittleEndian.AppendUint32(frame, checksum(content))
		frame = binary.LittleEndian.AppendUint32(frame, checksum(frame))
		return transcripttest.AppendFile(newestJournal(t, dir), string(frame)+string(content))
	}
}
