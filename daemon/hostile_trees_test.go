package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/watcher"
)

// A session a thousand directories down counts as any other.
func TestDeepTree(t *testing.T) {
	const depth = 1000
	w := newWorld(t)
	want := w.harmless()
	deep := strings.Repeat("d/", depth)
	w.write(deep+"a.jsonl", said("deep", 2))
	want[`claude_prompts_total{kind="text",project="deep"}`] = 2
	w.settings.MaxWatches = 2 * depth
	w.start()
	w.exactly(want)
	w.add(deep+"a.jsonl", said("deeper", 1))
	w.write(deep+"b.jsonl", said("beside", 1))
	want[`claude_prompts_total{kind="text",project="deeper"}`] = 1
	want[`claude_prompts_total{kind="text",project="beside"}`] = 1
	w.exactly(want)
}

// A tree can be deeper than any path may be long. What cannot be reached is told,
// and keeps nothing else from being counted.
func TestTreeBeyondPaths(t *testing.T) {
	const depth, long = 40, 200
	w := newWorld(t)
	want := w.harmless()
	makeDeep(t, w.path("p"), strings.Repeat("d", long), depth)
	w.start()
	w.exactly(want)
	w.eventually("the directory being told of", func() bool { return w.metric("ccwatchd_unreadable_directories") == 1 })
	w.write("q/a.jsonl", said("later", 1))
	want[`claude_prompts_total{kind="text",project="later"}`] = 1
	w.exactly(want)
	w.rescanned(2)
	if n := w.metric("ccwatchd_unreadable_directories"); n != 1 {
		t.Errorf("%v directories are unreadable, want the first that is too far down", n)
	}
}

// makeDeep makes directories of one name in each other, and a file in the last one.
func makeDeep(t *testing.T, top, name string, depth int) {
	t.Helper()
	dir, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		err := dir.Mkdir(name, 0o700)
		next, openErr := dir.OpenRoot(name)
		if err := errors.Join(err, openErr, dir.Close()); err != nil {
			t.Fatal(err)
		}
		dir = next
	}
	if err := errors.Join(dir.WriteFile("a.jsonl", []byte(said("unreachable", 1)), 0o600), dir.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // by its path nobody could remove it everywhere
		root, err := os.OpenRoot(top)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(root.RemoveAll(name), root.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Many files take little memory each, hold nothing open, and are not opened again.
// CCWATCHD_FILES is how many they are, 5,000 unless told otherwise.
func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("there are many")
	}
	many := 5_000
	if n, err := strconv.Atoi(os.Getenv("CCWATCHD_FILES")); err == nil {
		many = n
	}
	w := newWorld(t)
	w.settings.Scan = time.Hour
	want := w.harmless()
	for i := range many { // every other one is empty
		text := ""
		if i%2 == 0 {
			text = fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s%d","cwd":"/home/dev/hostile","message":{"content":"text %d"}}`+"\n", i, i, i)
		}
		w.write(fmt.Sprintf("p%d/%d.jsonl", i%100, i), text)
	}
	want[`claude_prompts_total{kind="text",project="hostile"}`] = uint64(many / 2)
	want[`claude_sessions_total{project="hostile"}`] = uint64(many / 2)
	open := descriptors(t)
	w.keeps(400*many+4<<20, func() {
		start := time.Now()
		w.start()
		w.exactly(want)
		t.Logf("%d files took %v", many, time.Since(start).Round(time.Millisecond))
	})
	if n := descriptors(t) - open; n > 10 {
		t.Errorf("%d descriptors are open", n)
	}
	if n := w.files(); n != many+1 {
		t.Errorf("%d files are known, want %d", n, many+1)
	}
	w.add("p0/0.jsonl", said("later", 1))
	want[`claude_prompts_total{kind="text",project="later"}`] = 1
	w.exactly(want)
	start := time.Now()
	w.restart()
	w.exactly(want)
	t.Logf("starting again took %v", time.Since(start).Round(time.Millisecond))
}

// A file that grows whenever a line of it is read is read as far as it went when its
// turn came; then it is the turn of the others, and then its own again.
func TestFileThatGrowsFasterThanItIsRead(t *testing.T) {
	w := newWorld(t)
	first := said("fast0", 1)
	w.write("p/0-fast.jsonl", first)
	w.write("p/1-slow.jsonl", said("slow", 2))
	grown, reads := int64(len(first)), 0
	w.settings.Labeller = rewriter{once: func(cwd string) {
		if strings.HasPrefix(filepath.Base(cwd), "fast") {
			reads++
			more := said(fmt.Sprint("fast", reads), 1)
			w.add("p/0-fast.jsonl", more)
			grown += int64(len(more))
		}
	}}
	d := w.opened()
	defer func() { _ = d.Close() }()
	e := newEngine(d)
	defer e.stop()
	fast, slow := watcher.File{Rel: filepath.Join("p", "0-fast.jsonl")}, watcher.File{Rel: filepath.Join("p", "1-slow.jsonl")}
	for turn := 1; turn <= 5; turn++ {
		before := grown
		e.update(t.Context(), watcher.Update{Dirty: []watcher.File{fast, slow}})
		if reads != turn {
			t.Fatalf("turn %d: it was read %d times", turn, reads)
		}
		for name, want := range map[watcher.File]int64{fast: before, slow: w.size("p/1-slow.jsonl")} {
			if known, _ := d.state.ByPath(w.key(name.Rel)); known.Fingerprint.Offset != want {
				t.Fatalf("turn %d: %s was read to %d, want %d", turn, name.Rel, known.Fingerprint.Offset, want)
			}
		}
	}
	d.state.FinalizeAll()
	if got := countedBy(d.state, aside...)[`claude_sessions_total`]; got != 5+1 {
		t.Errorf("%d sessions count, want 6", got)
	}
}

// A file that is rewritten all the time costs no more than reading it once for each
// time that it was, and neither of what it ever held is counted twice.
func TestFileThatIsRewrittenAllTheTime(t *testing.T) {
	const times = 200
	w := newWorld(t)
	want := w.harmless()
	versions := []string{said("one", 20), said("two", 20), said("one", 5)}
	w.write("p/hostile.jsonl", versions[0])
	w.start()
	w.exactly(want)
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := range times {
			if err := os.WriteFile(w.path("p/hostile.jsonl"), []byte(versions[i%len(versions)]), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 10 { // others have their turns meanwhile
		w.write("p/other.jsonl", said("other", i+1))
		want[`claude_prompts_total{kind="text",project="other"}`] = uint64(i + 1)
		w.exactly(want)
	}
	writing.Wait()
	for _, version := range versions[:2] { // each is there for long enough at last
		w.write("p/hostile.jsonl", version)
		name, _, _ := strings.Cut(strings.SplitAfter(version, "/home/dev/")[1], `"`)
		want[fmt.Sprintf(`claude_prompts_total{kind="text",project=%q}`, name)] = 20
		w.exactly(want)
	}
	got := w.totals()
	limit := uint64((times+20)*len(versions[0]) + 20*len(said("other", 10)))
	if got[readBytes] > limit {
		t.Errorf("%d bytes were read, want %d at most", got[readBytes], limit)
	}
	if resets := got[replaced] + got[truncated]; resets == 0 || resets > times+20 {
		t.Errorf("files were begun anew %d times, and rewritten %d times", resets, times)
	}
	w.restart()
	w.exactly(want)
}

// A file with many names counts once, and however often it is looked at nothing of
// it is read again.
func TestManyNamesOfOneFile(t *testing.T) {
	const names = 200
	w := newWorld(t)
	want := w.harmless()
	for i := range names {
		if err := os.MkdirAll(w.path(fmt.Sprintf("q%d", i%10)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(w.path("p/harmless.jsonl"), w.path(fmt.Sprintf("q%d/%d.jsonl", i%10, i))); err != nil {
			if errors.Is(err, syscall.EMLINK) {
				t.Skip(err)
			}
			t.Fatal(err)
		}
	}
	size := uint64(len(said("harmless", 2)))
	w.start()
	for range 2 {
		w.rescanned(1)
		if got := w.exactly(want); got[readBytes] != size || got[replaced] != 0 || w.files() != 1 {
			t.Errorf("%d bytes of %d files are read, want %d of 1; %d were begun anew", got[readBytes], w.files(), size, got[replaced])
		}
		w.restart()
	}
	w.add("q3/3.jsonl", said("more", 1))
	w.shows(counted(3, 2).with(readBytes, size+uint64(len(said("more", 1)))))
}
