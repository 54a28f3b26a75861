package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// looked returns, by what the files of the world are called, which of them were
// opened since the start.
func (w *world) looked() (names []string) {
	w.Helper()
	err := filepath.WalkDir(w.dir, func(path string, _ os.DirEntry, err error) error {
		if f, ok := w.d.state.ByPath(transcript.KeyOf("path", path)); ok && f.IsOpened() {
			names = append(names, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return names
}

// A file that looks as it did when it was read is not opened by a daemon that
// starts again; all others are.
func TestFilesAtRestAreNotOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file must be opened to tell which it is")
	}
	t.Parallel()
	touch := func(w *world, name string, at time.Time) {
		t.Helper()
		if err := os.Chtimes(w.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t)
	for _, name := range []string{"rest", "grows", "touched", "exchanged", "moved", "waits", "rewritten"} {
		w.write("p/"+name+".jsonl", said(name, 2))
	}
	w.write("p/empty.jsonl", "")
	w.add("p/waits.jsonl", open("waits"))
	w.start()
	w.shows(counted(14, 7))
	w.add("p/rest.jsonl", said("later", 1))
	w.shows(counted(15, 8))
	w.halt()

	w.add("p/grows.jsonl", said("more", 1))
	touch(w, "p/touched.jsonl", time.Now().Add(time.Hour))
	info, err := os.Stat(w.path("p/exchanged.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("p/new", said("exchanger", 2)[:info.Size()])
	w.rename("p/new", "p/exchanged.jsonl")
	touch(w, "p/exchanged.jsonl", info.ModTime())
	w.rename("p/moved.jsonl", "p/elsewhere.jsonl")
	w.write("p/rewritten.jsonl", said("different", 2)[:len(said("rewritten", 2))])
	w.start()
	want := []string{"elsewhere.jsonl", "exchanged.jsonl", "grows.jsonl", "rewritten.jsonl", "touched.jsonl", "waits.jsonl"}
	if got := w.looked(); !slices.Equal(got, want) {
		t.Errorf("opened were %v, want %v", got, want)
	}
	if got := w.files(); got != 8 {
		t.Errorf("%d files are there, want 8", got)
	}
	w.shows(totals{requests: 20})
	w.add("p/rest.jsonl", said("at last", 1))
	w.shows(totals{requests: 21})
	if got := w.looked(); !slices.Contains(got, "rest.jsonl") {
		t.Errorf("opened were %v, and not what has grown", got)
	}
	// The touched one has been looked into, and is not again.
	w.halt()
	w.start()
	if got, want := w.looked(), []string{"waits.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("then opened were %v, want %v", got, want)
	}
}

// What the configuration says of a file holds for it even if it was not opened
// before it grew.
func TestLabelsOfFilesAtRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.halt()
	w.settings.Sources = func() []follow.Source { return []follow.Source{{Path: w.dir, Labels: map[string]string{"user": "me"}}} }
	w.start()
	w.add("p/a.jsonl", said("b", 2))
	w.eventually("the label", func() bool {
		return w.totals()[`claude_prompts_total{kind="text",project="b",user="me"}`] == 2
	})
}

// Of two names of one file each walk comes by both, and that is no news.
func TestHardLinkIsNoNews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/b.jsonl", said("b", 1))
	w.link("p/b.jsonl", "p/a.jsonl")
	w.link("p/b.jsonl", "p/c.jsonl")
	w.start()
	w.shows(counted(1, 1))
	size := func() int64 {
		info, err := os.Stat(newestJournal(t, w.state))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	const scans = "ccwatchd_scans_total"
	before, walked := size(), w.metric(scans)
	w.eventually("some walks", func() bool { return w.metric(scans) >= walked+5 })
	if got := size(); got != before {
		t.Errorf("the journal has grown from %d bytes to %d", before, got)
	}
	if got := w.files(); got != 1 {
		t.Errorf("%d files are there, want 1", got)
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkIdleFiles measures what a file at rest takes of a whole daemon, and
// how long a daemon takes to start again where nothing has changed.
func BenchmarkIdleFiles(b *testing.B) {
	const files = 10_000
	w := newWorld(b)
	w.settings.Scan, w.settings.MaxWatches = 0, 0 // the defaults
	line := `{"type":"mode","mode":"normal","sessionId":"%s"}` + "\n"
	for i := range files / 2 {
		session := fmt.Sprintf("%08x-89ab-cdef-0123-456789abcdef", i)
		project := fmt.Sprintf("-home-someone-src-project-%02d", i%50)
		w.write(filepath.Join(project, session+".jsonl"), fmt.Sprintf(line, session))
		session = fmt.Sprintf("%08x-89ab-cdef-0123-456789abcdef", i/5)
		project = fmt.Sprintf("-home-someone-src-project-%02d", i/5%50)
		w.write(filepath.Join(project, session, "subagents", fmt.Sprintf("agent-a%016x.jsonl", i)), fmt.Sprintf(line, session))
	}
	empty := newWorld(b)
	empty.start()
	before := heap()
	w.start()
	first := heap() - before
	for b.Loop() {
		w.restart()
	}
	b.ReportMetric(float64(first)/files, "B/file")
	b.ReportMetric(float64(heap()-before)/files, "B/file-restarted")
}
