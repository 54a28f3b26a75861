package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
)

const (
	unreadableFiles       = "ccwatchd_unreadable_files"
	unreadableDirectories = "ccwatchd_unreadable_directories"
)

// chmod changes who may read what, and skips the test where that means nothing.
func (w *world) chmod(rel string, mode os.FileMode) {
	w.Helper()
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		w.Skip("nothing is unreadable to this user")
	}
	if err := os.Chmod(w.path(rel), mode); err != nil {
		w.Fatal(err)
	}
}

// A file that cannot be read is told, is not taken for gone, and is read on when
// it can be: also by a daemon that was started meanwhile.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*world){
		"while it runs":    func(w *world) { w.advance(w.settings.Retention + day) },
		"while it is down": func(w *world) { w.halt(); w.advance(w.settings.Retention + day); w.start() },
		"twice":            func(w *world) { w.restart(); w.advance(w.settings.Retention + day); w.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 2))
			w.start()
			w.shows(counted(2, 1))
			w.chmod("p/a.jsonl", 0o200)
			w.add("p/a.jsonl", said("b", 1))
			w.eventually("a failure", func() bool { return w.metric(unreadableFiles) == 1 })
			between(w)
			w.eventually("a failure", func() bool { return w.metric(unreadableFiles) == 1 })
			w.shows(counted(2, 1))
			if got := w.remembered(); got != 2 {
				t.Errorf("%d messages are remembered, want 2", got)
			}
			w.chmod("p/a.jsonl", 0o600)
			w.shows(counted(3, 2))
			w.eventually("the end of the failure", func() bool { return w.metric(unreadableFiles) == 0 })
		})
	}
}

// It is not taken for gone either when it has another name by then.
func TestUnreadableFileThatWasMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 2))
	w.start()
	w.shows(counted(2, 1))
	w.halt()
	w.chmod("p/a.jsonl", 0o200)
	w.rename("p/a.jsonl", "q/b.jsonl")
	w.start()
	w.advance(w.settings.Retention + day)
	w.restart()
	if got := w.remembered(); got != 2 {
		t.Errorf("%d messages are remembered, want 2", got)
	}
	w.chmod("q/b.jsonl", 0o600)
	w.add("q/b.jsonl", said("b", 1))
	w.shows(counted(3, 2))
}

// Nothing in a directory that cannot be read is taken for gone, however long that
// lasts and however often a daemon starts meanwhile.
func TestUnreadableDirectoryOverARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tree, root := filepath.Join(w.dir, "real"), filepath.Join(w.dir, "root")
	w.settings.Sources = sources(root)
	w.write("real/p/a.jsonl", said("a", 2))
	pointTo := func(to string) {
		t.Helper()
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, root); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	pointTo(tree)
	w.start()
	w.shows(counted(2, 1))
	w.halt()
	pointTo(root) // no error but that it is missing, even to root
	for range 2 {
		w.start()
		w.eventually("the directory being unreadable", func() bool { return w.metric(unreadableDirectories) == 1 })
		w.halt()
		w.advance(w.settings.Retention + day)
	}
	w.start()
	if got := w.remembered(); got != 2 {
		t.Errorf("%d messages are remembered, want 2", got)
	}
	w.shows(counted(2, 1))
	pointTo(tree)
	w.add("real/p/a.jsonl", said("a", 3)+said("b", 1))
	w.shows(counted(4, 2))
}

// A message that waits does not wait until a clock that was set back is where it
// was.
func TestClockIsSetBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.start()
	w.totals()
	w.advance(5 * time.Hour)
	for _, session := range []string{"a", "b"} {
		w.quiet()
		w.eventually("no message being held back", func() bool { return w.unsettled() == 0 })
		w.appears("p/"+session+".jsonl", open(session))
		w.eventually("the message being held back", func() bool { return w.unsettled() == 1 })
	}
	w.ahead.Store(0)
	w.eventually("the message being counted", func() bool {
		w.advance(time.Minute)
		return w.unsettled() == 0
	})
	if took := time.Duration(w.ahead.Load()); took > time.Hour {
		t.Errorf("it waits for %v", took)
	}
	w.shows(totals{requests: 2, output: 10})
	w.noNegatives()
}

// A clock that is wrong for some days makes nothing fall, count twice or be
// forgotten.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"forward": 5 * day, "back": -5 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 2))
			w.write("p/b.jsonl", said("b", 1)+open("c"))
			w.start()
			w.shows(counted(3, 3))
			w.remove("p/a.jsonl")
			w.eventually("the file being missed", func() bool { return w.files() == 1 })
			w.advance(jump)
			w.add("p/b.jsonl", said("d", 1))
			w.shows(totals{requests: 5, output: 45})
			w.noNegatives()
			w.restart()
			w.noNegatives()
			w.advance(-jump)
			w.restart()
			w.write("p/new", said("a", 3))
			w.rename("p/new", "p/a.jsonl")
			w.shows(totals{requests: 6, output: 55})
			w.noNegatives()
		})
	}
}

// appears makes a file that was changed last when the clock of the world says.
func (w *world) appears(rel, content string) {
	w.Helper()
	w.write("p/new", content)
	if err := os.Chtimes(w.path("p/new"), w.now(), w.now()); err != nil {
		w.Fatal(err)
	}
	w.rename("p/new", rel)
}

// noNegatives looks for numbers below zero in all that is shown.
func (w *world) noNegatives() {
	w.Helper()
	var page bytes.Buffer
	shown := &metrics.Exposition{Provider: w.d, Registry: w.registry, MaxSessions: w.d.MaxSessions}
	if err := shown.WriteText(&page); err != nil {
		w.Fatal(err)
	}
	if !bytes.Contains(page.Bytes(), []byte("\nclaude_requests_total{")) {
		w.Fatal("nothing is shown")
	}
	for _, line := range regexp.MustCompile(`(?m)^[^#].* -.*$`).FindAll(page.Bytes(), -1) {
		w.Errorf("%s", line)
	}
}

// What could not be saved when a daemon had caught up is not shown before it is.
func TestNothingIsShownBeforeItIsSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inTheWay := filepath.Join(w.state, "journal-1")
	w.meddle = func(*Daemon) {
		if err := os.Mkdir(inTheWay, 0o700); err != nil {
			t.Error(err)
		}
	}
	w.write("p/a.jsonl", said("a", 1))
	w.launch()
	w.eventually("two failures", func() bool { return w.metric(failures) > 1 })
	if w.d.Ready() {
		t.Error("something is shown that a crash would take back")
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	w.shows(counted(1, 1))
}
