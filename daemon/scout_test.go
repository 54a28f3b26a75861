package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A history is a tree that is read file by file, and every step of it.
type history struct {
	testing.TB
	*follower
	dir   string
	roots roots
	steps [][]byte
}

// Append takes a step, as a journal does.
func (h *history) Append(step []byte) error {
	h.steps = append(h.steps, slices.Clone(step))
	return nil
}

// newHistory has a follower of its own for a directory. It is always noon.
func newHistory(t testing.TB, dir string, maxLine int) *history {
	t.Helper()
	noon := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	s := settingsFor(dir)
	h := &history{TB: t, dir: dir}
	counted := &shared{state: newState(s.Ledger, noon.UnixMilli()), journal: h}
	h.follower = newFollower(counted, maxLine, func() time.Time { return noon })
	h.restart()
	h.roots = h.openRoots()
	t.Cleanup(h.roots.close)
	return h
}

// restart has it forget what is not in the state.
func (h *history) restart() { h.configure(labeller{}, []Source{{Path: h.dir}}) }

func (h *history) files() []watcher.Found {
	h.Helper()
	found, errs := watcher.Walk(h.Context(), h.watching())
	if len(errs) > 0 {
		h.Fatal(errs)
	}
	return found
}

// send sends scouts to the files.
func (h *history) send(files []watcher.Found, maxLine, scouts int) {
	h.scouts = h.explore(h.Context(), h.roots, files, maxLine, scouts)
}

// read reads files, after the scouts if there are any.
func (h *history) read(files []watcher.Found) {
	h.Helper()
	for _, found := range files {
		if err := h.follow(h.Context(), h.roots, found.File); err != nil {
			h.Fatal(err)
		}
	}
	if h.scouts != nil {
		h.scouts.dismiss()
		h.scouts = nil
	}
}

// as fails unless everything went as with another one.
func (h *history) as(other *history) {
	h.Helper()
	if len(other.steps) < 2 {
		h.Fatalf("there are only %d steps", len(other.steps))
	}
	for i := range min(len(h.steps), len(other.steps)) {
		if !bytes.Equal(h.steps[i], other.steps[i]) {
			got, _ := decodeStep(h.steps[i])
			want, _ := decodeStep(other.steps[i])
			h.Fatalf("step %d is %T %+v, want %T %+v", i, got, got, want, want)
		}
	}
	if len(h.steps) != len(other.steps) {
		h.Fatalf("%d steps, want %d", len(h.steps), len(other.steps))
	}
	if got, want := sortedBytes(h.shared.state), sortedBytes(other.shared.state); !bytes.Equal(got, want) {
		h.Error("another state comes out")
	}
	if h.backlog != other.backlog || len(h.awake) != len(other.awake) {
		h.Errorf("backlog of %d in %d files, want %d in %d", h.backlog, len(h.awake), other.backlog, len(other.awake))
	}
	for id, want := range other.awake {
		if got := h.awake[id]; got == nil || *got != *want {
			h.Errorf("%s stands at %+v, want %+v", want.name.Rel, got, want)
		}
	}
}

// However many scouts there are, the steps are those of one who reads alone:
// on the first start, and on one that finds some more of what it knows.
func TestScoutsChangeNothing(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		dir, whole := t.TempDir(), generate(seed, options{copies: true, size: 8})
		whole["-p-large/large.jsonl"] = said("large", 1000) // several pages
		for rel, content := range whole {
			tree{rel: content[:len(content)*r.IntN(4)/4]}.write(t, dir)
		}
		if err := os.Link(filepath.Join(dir, "-p-large/large.jsonl"), filepath.Join(dir, "-p-empty/link.jsonl")); err != nil {
			t.Skip(err)
		}
		var all []*history
		for _, scouts := range []int{0, 1, 2, maxScouts + 1} {
			all = append(all, newHistory(t, dir, 1<<20))
			first := all[len(all)-1].files()
			if scouts > 0 {
				all[len(all)-1].send(first, 1<<20, scouts)
			}
			all[len(all)-1].read(first)
		}
		whole.write(t, dir)
		for i, h := range all {
			h.restart()
			grown := byAge(h.files())
			if i > 0 {
				h.send(grown, 1<<20, i)
			}
			h.read(grown)
			h.as(all[0])
		}
	})
}

// Lines that are too long for scouts, or for anybody, stand where they stood.
func TestScoutsLeaveLongLines(t *testing.T) {
	t.Parallel()
	long := func(n int) string {
		return (&talk{session: "long", cwd: "/p"}).prompt(strings.Repeat("x", n)).String()
	}
	dir := t.TempDir()
	tree{
		"p/a.jsonl": said("a", 3) + long(scoutLine) + said("b", 3),
		"p/b.jsonl": long(2*scoutLine) + long(scoutLine/4),
		"p/c.jsonl": said("c", 3) + long(3*scoutLine) + said("d", 3) + long(3*scoutLine),
		"p/d.jsonl": said("e", 3),
		"p/e.jsonl": long(scoutLine / 4),
	}.write(t, dir)
	for _, maxLine := range []int{scoutLine / 8, 2*scoutLine + scoutLine/2, 4 * scoutLine} {
		alone, scouted := newHistory(t, dir, maxLine), newHistory(t, dir, maxLine)
		files := alone.files()
		alone.read(files)
		scouted.send(files, maxLine, 2)
		scouted.read(files)
		scouted.as(alone)
	}
}

// The same file may come to be other than what a scout has seen of it, before
// its turn. Then it is read as it is.
func TestFileChangesBeforeItsTurn(t *testing.T) {
	t.Parallel()
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for _, c := range []struct {
		name string
		do   func(w *world)
	}{
		{"nothing", func(*world) {}},
		{"grows", func(w *world) { w.add(a, said("b", 2)) }},
		{"grows within the grain of its clock", func(w *world) {
			before := w.modified(a)
			w.add(a, said("b", 2))
			w.touch(a, before)
		}},
		{"grows by a part of a line", func(w *world) { w.add(a, `{"type":`) }},
		{"is emptied", func(w *world) { w.write(a, "") }},
		{"shrinks", func(w *world) { w.write(a, said("a", 2)) }},
		{"shrinks within a line", func(w *world) { w.write(a, said("a", 3)[:1000]) }},
		{"gets other content, as long", func(w *world) {
			w.write(a, said("b", 3))
			w.touch(a, time.Now().Add(-time.Hour))
		}},
		{"gets other content, longer", func(w *world) { w.write(a, said("b", 9)) }},
		{"goes on differently", func(w *world) { w.write(a, said("a", 2)+said("c", 4)) }},
		{"is made anew, and others come", func(w *world) { w.write(a, said("a", 4)); w.write("p/c.jsonl", said("c", 1)) }},
		{"another one grows", func(w *world) { w.add(b, said("c", 2)) }},
		{"is only touched", func(w *world) { w.touch(a, time.Now().Add(-time.Hour)) }},
		{"gets another name, and nothing its own", func(w *world) { w.rename(a, "q/z.jsonl"); w.link("q/z.jsonl", a) }},
	} {
		for _, read := range []string{"never read", "read", "read in part"} {
			t.Run(strings.ReplaceAll(c.name+", "+read, " ", "_"), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.write(a, said("a", 3))
				w.write(b, said("other", 2))
				alone, scouted := newHistory(t, w.dir, 0), newHistory(t, w.dir, 0)
				files := alone.files()
				if read != "never read" {
					for _, h := range []*history{alone, scouted} {
						h.read(files)
						h.restart()
					}
				}
				if read == "read in part" {
					w.add(a, said("more", 2))
					files = alone.files()
				}
				scouted.send(files, 1<<20, 1)
				scouted.scouts.running.Wait()
				c.do(w)
				alone.read(files)
				scouted.read(files)
				scouted.as(alone)
			})
		}
	}
}

func (w *world) modified(rel string) time.Time {
	w.Helper()
	info, err := os.Stat(w.path(rel))
	if err != nil {
		w.Fatal(err)
	}
	return info.ModTime()
}

// touch sets the time of modification.
func (w *world) touch(rel string, to time.Time) {
	w.Helper()
	if err := os.Chtimes(w.path(rel), to, to); err != nil {
		w.Fatal(err)
	}
}

// What a scout reads of a file that is known is what is new in it.
func TestScoutsGuess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 3))
	h := newHistory(t, w.dir, 0)
	h.read(h.files())
	read := w.size("p/a.jsonl")
	w.add("p/a.jsonl", said("b", 2)+`{"type":`)
	files := h.files()
	h.send(files, 1<<20, 1)
	defer h.scouts.dismiss()
	r := h.scouts.report(files[0].File)
	p := <-r.pages
	if r.offset != read || p.start != read || p.lines != 4 || p.end != w.size("p/a.jsonl")-8 || p.mark.Offset != p.end {
		t.Errorf("from %d: %d lines from %d to %d; want 4 from %d to %d", r.offset, p.lines, p.start, p.end, read, w.size("p/a.jsonl")-8)
	}
	r.drop()
}

func (w *world) size(rel string) int64 {
	w.Helper()
	info, err := os.Stat(w.path(rel))
	if err != nil {
		w.Fatal(err)
	}
	return info.Size()
}

// A file that goes, or is exchanged, between the scout and its turn is read as
// if that had come afterwards; and then all comes right.
func TestFileGoesBeforeItsTurn(t *testing.T) {
	t.Parallel()
	const a, b = "p/a.jsonl", "p/b.jsonl"
	for _, c := range []struct {
		name string
		do   func(w *world)
	}{
		{"is deleted", func(w *world) { w.remove(a) }},
		{"is deleted and comes back", func(w *world) { w.remove(a); w.write(a, said("a", 4)) }},
		{"moves", func(w *world) { w.rename(a, "q/c.jsonl") }},
		{"moves and grows", func(w *world) { w.rename(a, "q/c.jsonl"); w.add("q/c.jsonl", said("c", 2)) }},
		{"moves over another", func(w *world) { w.rename(a, b) }},
		{"another moves over it", func(w *world) { w.rename(b, a) }},
		{"two change places", func(w *world) { w.rename(a, "x"); w.rename(b, a); w.rename("x", b) }},
		{"is exchanged for another", func(w *world) { w.write("new", said("n", 3)); w.rename("new", a) }},
		{"becomes a directory", func(w *world) { w.remove(a); w.write(a+"/c.jsonl", said("c", 1)) }},
		{"all is deleted", func(w *world) { w.remove("") }},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(a, said("a", 3))
			w.write(b, said("b", 2))
			alone, scouted := newHistory(t, w.dir, 0), newHistory(t, w.dir, 0)
			files := alone.files()
			scouted.send(files, 1<<20, 1)
			scouted.scouts.running.Wait()
			alone.read(files)
			c.do(w)
			scouted.read(files)
			for _, h := range []*history{alone, scouted} {
				after, _ := watcher.Walk(t.Context(), h.watching())
				h.read(after)
				h.read(after)
				h.finish()
			}
			var got, want ledger.Snapshot
			scouted.shared.state.ledger.Fill(&got, 0)
			alone.shared.state.ledger.Fill(&want, 0)
			drop := append([]string{"ccwatchd_read_bytes_total", "ccwatchd_lines_total"}, always...)
			if d := totalsOf(&got, drop...).diff(totalsOf(&want, drop...)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Not every file need be asked for, and one may be gone before any scout came.
func TestScoutsAreNotAskedForAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		w.write(fmt.Sprintf("p/%02d.jsonl", i), said(fmt.Sprint(i), 1+i*8))
	}
	alone, scouted := newHistory(t, w.dir, 0), newHistory(t, w.dir, 0)
	files := alone.files()
	var some []watcher.Found
	for i := 1; i < len(files); i += 3 {
		some = append(some, files[i])
	}
	w.remove(some[2].Rel)
	alone.read(some)
	scouted.send(files, 1<<20, 3)
	scouted.read(some)
	scouted.as(alone)
	if r := scouted.scouts.report(files[0].File); r != nil {
		t.Errorf("there is a report of %v, when nobody was sent", r.name)
	}
}

// An ender ends a context when it has named so many projects.
type ender struct {
	labeller
	after int
	end   context.CancelFunc
}

func (e *ender) Project(cwd string) string {
	if e.after--; e.after == 0 {
		e.end()
	}
	return e.labeller.Project(cwd)
}

// Whoever is told to stop leaves the scouts wherever they are, and nothing of
// them behind.
func TestScoutsAreDismissed(t *testing.T) {
	w := newWorld(t)
	for i := range 6 {
		var content strings.Builder
		for j := range 20 {
			content.WriteString(said(fmt.Sprint(i, "-", j), 110)) // more than a scout may be ahead
		}
		w.write(fmt.Sprintf("p/%d.jsonl", i), content.String())
	}
	current, before := goleak.IgnoreCurrent(), descriptors(t)
	for _, after := range []int{1, 2, 15, 21, 100} {
		ctx, cancel := context.WithCancel(t.Context())
		w.settings.Labeller = &ender{after: after, end: cancel}
		if _, err := Once(ctx, w.settings, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d projects: %v, want that it was canceled", after, err)
		}
		cancel()
	}
	goleak.VerifyNone(t, current)
	if n := descriptors(t); n != before {
		t.Errorf("%d descriptors before, %d after", before, n)
	}
}
