package follow

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// The frames do not depend on prefetching: on the first start, on a start after known
// files have grown, and when files are read again.
func TestPrefetchingChangesNothing(t *testing.T) {
	for seed := range uint64(testsize.Of(6, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 2))
			dir, whole := t.TempDir(), transcripttest.Generate(seed, transcripttest.Options{Copies: true, Size: 8})
			whole["-p-large/large.jsonl"] = said("large", 1000) // several batches
			for rel, content := range whole {
				transcripttest.Tree{rel: content[:len(content)*r.IntN(4)/4]}.Write(t, dir)
			}
			if err := os.Link(filepath.Join(dir, "-p-large/large.jsonl"), filepath.Join(dir, "-p-empty/link.jsonl")); err != nil {
				t.Skip(err)
			}
			var all []*frameRecorder
			for _, goroutines := range []int{0, 1, 2, maxPrefetchers + 1} {
				all = append(all, newRecorder(t, dir, 1<<20))
				first := all[len(all)-1].files()
				if goroutines > 0 {
					all[len(all)-1].prefetch(first, 1<<20, goroutines)
				}
				all[len(all)-1].read(first)
			}
			whole.Write(t, dir)
			for i, h := range all {
				h.restart()
				grown := byAge(h.files())
				if i > 0 {
					h.prefetch(grown, 1<<20, i)
				}
				h.read(grown)
				h.wantEqual(all[0])
			}
			for i, h := range all {
				h.ReadAgain(h.files())
				if i > 0 {
					h.prefetch(byAge(h.files()), 1<<20, i)
				}
				h.read(byAge(h.files()))
				h.wantEqual(all[0])
			}
		})
	}
}

// Lines that are too long to prefetch, or to be read at all, give the same frames.
func TestPrefetchingLongLines(t *testing.T) {
	t.Parallel()
	long := func(n int) string {
		return (&transcripttest.Session{ID: "long", CWD: "/p"}).Prompt(strings.Repeat("x", n)).String()
	}
	dir := t.TempDir()
	transcripttest.Tree{
		"p/a.jsonl": said("a", 3) + long(prefetchLine) + said("b", 3),
		"p/b.jsonl": long(2*prefetchLine) + long(prefetchLine/4),
		"p/c.jsonl": said("c", 3) + long(3*prefetchLine) + said("d", 3) + long(3*prefetchLine),
		"p/d.jsonl": said("e", 3),
		"p/e.jsonl": long(prefetchLine / 4),
	}.Write(t, dir)
	for _, maxLine := range []int{prefetchLine / 8, 2*prefetchLine + prefetchLine/2, 4 * prefetchLine} {
		alone, ahead := newRecorder(t, dir, maxLine), newRecorder(t, dir, maxLine)
		files := alone.files()
		alone.read(files)
		ahead.prefetch(files, maxLine, 2)
		ahead.read(files)
		ahead.wantEqual(alone)
	}
}

// A file that changes after it was prefetched is read in its new condition.
func TestFileChangesAfterPrefetch(t *testing.T) {
	t.Parallel()
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for _, c := range []struct {
		name string
		do   func(w dir)
	}{
		{"nothing", func(dir) {}},
		{"grows", func(w dir) { w.Append(a, said("b", 2)) }},
		{"grows with the same modification time", func(w dir) {
			before := w.Stat(a).ModTime()
			w.Append(a, said("b", 2))
			w.Touch(a, before)
		}},
		{"grows by a part of a line", func(w dir) { w.Append(a, `{"type":`) }},
		{"is emptied", func(w dir) { w.Write(a, "") }},
		{"shrinks", func(w dir) { w.Write(a, said("a", 2)) }},
		{"shrinks within a line", func(w dir) { w.Write(a, said("a", 3)[:1000]) }},
		{"gets other content, as long", func(w dir) {
			w.Write(a, said("b", 3))
			w.Touch(a, time.Now().Add(-time.Hour))
		}},
		{"gets other content, longer", func(w dir) { w.Write(a, said("b", 9)) }},
		{"is truncated and continued", func(w dir) { w.Write(a, said("a", 2)+said("c", 4)) }},
		{"is recreated, and others are added", func(w dir) { w.Write(a, said("a", 4)); w.Write("p/c.jsonl", said("c", 1)) }},
		{"another one grows", func(w dir) { w.Append(b, said("c", 2)) }},
		{"is only touched", func(w dir) { w.Touch(a, time.Now().Add(-time.Hour)) }},
		{"is renamed and linked back", func(w dir) { w.Rename(a, "q/z.jsonl"); w.Link("q/z.jsonl", a) }},
	} {
		for _, read := range []string{"never read", "read", "read in part"} {
			t.Run(strings.ReplaceAll(c.name+", "+read, " ", "_"), func(t *testing.T) {
				t.Parallel()
				w := transcripttest.NewDir(t)
				w.Write(a, said("a", 3))
				w.Write(b, said("other", 2))
				alone, ahead := newRecorder(t, w.Root, 0), newRecorder(t, w.Root, 0)
				files := alone.files()
				if read != "never read" {
					for _, h := range []*frameRecorder{alone, ahead} {
						h.read(files)
						h.restart()
					}
				}
				if read == "read in part" {
					w.Append(a, said("more", 2))
					files = alone.files()
				}
				ahead.prefetch(files, 1<<20, 1)
				ahead.prefetcher.running.Wait()
				c.do(w)
				alone.read(files)
				ahead.read(files)
				ahead.wantEqual(alone)
			})
		}
	}
}

// Only the new lines of a known file are prefetched, and all lines if it is read again.
func TestPrefetchingKnownFile(t *testing.T) {
	t.Parallel()
	w := transcripttest.NewDir(t)
	w.Write("p/a.jsonl", said("a", 3))
	h := newRecorder(t, w.Root, 0)
	h.read(h.files())
	read := w.Stat("p/a.jsonl").Size()
	w.Append("p/a.jsonl", said("b", 2)+`{"type":`)
	files := h.files()
	h.prefetch(files, 1<<20, 1)
	defer h.prefetcher.stop()
	r := h.prefetcher.take(files[0].File)
	b := <-r.batches
	end := w.Stat("p/a.jsonl").Size() - 8
	if r.offset != read || b.start != read || b.lines != 4 || b.end != end || b.fingerprint.Offset != b.end {
		t.Errorf("from %d: %d lines from %d to %d; want 4 from %d to %d", r.offset, b.lines, b.start, b.end, read, end)
	}
	r.drop()
	h.ReadAgain(files)
	h.prefetch(files, 1<<20, 1)
	defer h.prefetcher.stop()
	r = h.prefetcher.take(files[0].File)
	if r.offset != 0 {
		t.Errorf("reading again: prefetched from %d, want 0", r.offset)
	}
	r.drop()
}

// A file that is deleted or replaced after it was prefetched is read as if this had
// happened later, and the next walks correct it.
func TestFileRemovedAfterPrefetch(t *testing.T) {
	t.Parallel()
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for _, c := range []struct {
		name string
		do   func(w dir)
	}{
		{"is deleted", func(w dir) { w.Remove(a) }},
		{"is deleted and comes back", func(w dir) { w.Remove(a); w.Write(a, said("a", 4)) }},
		{"moves", func(w dir) { w.Rename(a, "q/c.jsonl") }},
		{"moves and grows", func(w dir) { w.Rename(a, "q/c.jsonl"); w.Append("q/c.jsonl", said("c", 2)) }},
		{"moves over another", func(w dir) { w.Rename(a, b) }},
		{"another moves over it", func(w dir) { w.Rename(b, a) }},
		{"two are swapped", func(w dir) { w.Rename(a, "x"); w.Rename(b, a); w.Rename("x", b) }},
		{"is replaced", func(w dir) { w.Write("new", said("n", 3)); w.Rename("new", a) }},
		{"becomes a directory", func(w dir) { w.Remove(a); w.Write(a+"/c.jsonl", said("c", 1)) }},
		{"all is deleted", func(w dir) { w.Remove("") }},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := transcripttest.NewDir(t)
			w.Write(a, said("a", 3))
			w.Write(b, said("b", 2))
			alone, ahead := newRecorder(t, w.Root, 0), newRecorder(t, w.Root, 0)
			files := alone.files()
			ahead.prefetch(files, 1<<20, 1)
			ahead.prefetcher.running.Wait()
			alone.read(files)
			c.do(w)
			ahead.read(files)
			for _, h := range []*frameRecorder{alone, ahead} {
				after, _ := watcher.Walk(t.Context(), h.WatchOptions())
				h.read(after)
				h.read(after)
				h.FinalizeAll()
			}
			got, want := sums(ahead.state), sums(alone.state)
			for _, family := range []string{"ccwatchd_read_bytes_total", "ccwatchd_lines_total", "ccwatchd_duplicates_total", "ccwatchd_file_resets_total"} {
				delete(got, family)
				delete(want, family)
			}
			if !maps.Equal(got, want) || len(want) < 5 {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// Prefetched files may be skipped, and a file may be deleted before it is prefetched.
func TestSkippedPrefetches(t *testing.T) {
	t.Parallel()
	w := transcripttest.NewDir(t)
	for i := range 40 {
		w.Write(fmt.Sprintf("p/%02d.jsonl", i), said(fmt.Sprint(i), 1+i*8))
	}
	alone, ahead := newRecorder(t, w.Root, 0), newRecorder(t, w.Root, 0)
	files := alone.files()
	var some []watcher.FoundFile
	for i := 1; i < len(files); i += 3 {
		some = append(some, files[i])
	}
	w.Remove(some[2].Rel)
	alone.read(some)
	ahead.prefetch(files, 1<<20, 3)
	ahead.read(some)
	ahead.wantEqual(alone)
	if r := ahead.prefetcher.take(files[0].File); r != nil {
		t.Errorf("%v was prefetched after the end", r.name)
	}
}

// Canceling at any point leaks neither goroutines nor descriptors.
func TestCancelPrefetching(t *testing.T) {
	w := transcripttest.NewDir(t)
	for i := range 6 {
		var content strings.Builder
		for j := range 20 {
			content.WriteString(said(fmt.Sprint(i, "-", j), 110)) // more than the limit of prefetched batches
		}
		w.Write(fmt.Sprintf("p/%d.jsonl", i), content.String())
	}
	current, before := goleak.IgnoreCurrent(), leaktest.Descriptors(t)
	for _, after := range []int{1, 2, 15, 21, 30} {
		ctx, cancel := context.WithCancel(t.Context())
		o, calls := optionsOf(time.Now), 0
		o.Alive = func() { // called for each batch
			if calls++; calls == after {
				cancel()
			}
		}
		f, files := New(o, configOf(w.Root, 1<<20)), 0
		f.ReadAtRest(ctx, walk(t, f), func(watcher.FoundFile, error) { files++ })
		if ctx.Err() == nil || files == 6 {
			t.Errorf("after %d batches: %d files were read, %v", after, files, ctx.Err())
		}
		cancel()
	}
	goleak.VerifyNone(t, current)
	if n := leaktest.Descriptors(t); n != before {
		t.Errorf("%d descriptors before, %d after", before, n)
	}
}
