package torture

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// disturb takes some steps on a tree, without a daemon.
func disturb(t *testing.T, seed uint64, steps int) *tree {
	t.Helper()
	tr := newTree(t.TempDir(), rand.New(rand.NewPCG(seed, 0)))
	shorten := func() (bool, error) { return tr.shorten(func() error { return nil }) }
	faults := []func() (bool, error){tr.move, tr.moveAndRewrite, tr.moveProject, tr.copy, tr.clone, shorten}
	for _, inject := range []func(*tree, *file) error{(*tree).truncate, (*tree).replace, (*tree).touch} {
		faults = append(faults, func() (bool, error) { return onAny(inject)(tr) })
	}
	var show, rename func() error
	for i := range steps {
		err := tr.writeChunk()
		switch {
		case err != nil:
		case i%7 == 0:
			_, err = pick(tr.rng, faults)()
		case i%50 == 0 && show != nil:
			err = show()
			show = nil
		case i%50 == 10 && show == nil:
			show, err = tr.hide()
		case i%50 == 25 && rename == nil:
			rename, err = tr.saveInPlace()
		case i%50 == 45 && rename != nil:
			err = rename()
			rename = nil
		case i%200 == 20:
			for _, f := range tr.chooseDeletions() {
				err = tr.remove(f)
			}
		case i%500 == 30:
			err = tr.probe()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []func() error{show, rename} {
		if end != nil {
			if err := end(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return tr
}

// contents returns the transcripts below a directory, except for copies and clones.
func contents(t *testing.T, dir string) transcripttest.Tree {
	t.Helper()
	all := make(transcripttest.Tree)
	for _, project := range directories(t, dir) { // some are links
		for name, content := range transcripttest.ReadTree(t, filepath.Join(dir, project)) {
			all[project+"/"+name] = content
		}
	}
	maps.DeleteFunc(all, func(name, _ string) bool {
		base := path.Base(name)
		return !isTranscript(name) || strings.HasPrefix(base, "copy-") || strings.HasPrefix(base, "clone-")
	})
	return all
}

// directories returns the names of the entries of a directory, which must be
// directories or links to them.
func directories(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSeed(t *testing.T) {
	const steps = 1500
	first, again, other := disturb(t, 1, steps), disturb(t, 1, steps), disturb(t, 2, steps)
	want := contents(t, first.root)
	if got := contents(t, again.root); !maps.Equal(want, got) {
		t.Errorf("same seed: got files %q, want %q, or other contents", got.Names(), want.Names())
	}
	if got := contents(t, other.root); maps.Equal(want, got) {
		t.Error("another seed gives the same files")
	}
	if len(first.deleted) == 0 || first.probes == 0 || first.names == 0 {
		t.Errorf("got %d deleted files, %d probes and %d generated names", len(first.deleted), first.probes, first.names)
	}
}

// After all faults, all files can be completed.
func TestRestoreAll(t *testing.T) {
	tr := disturb(t, 3, 2000)
	if err := tr.finish(); err != nil {
		t.Fatal(err)
	}
	if err := tr.restoreAll(); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(maps.Values(contents(t, tr.store)))
	got := slices.Sorted(maps.Values(contents(t, tr.root)))
	if len(want) < 20 || !slices.Equal(want, got) {
		t.Errorf("got %d files, want %d with the same contents", len(got), len(want))
	}
}

// Two processes write whole lines into one file, each in its order, and do not
// interrupt the lines of a message.
func TestInterleave(t *testing.T) {
	shapes := []string{
		`"type":"assistant","message":{"stop_reason":null,"usage":{}}}`,
		`"type":"user","toolUseResult":{"usage":{}}}`,
		`"type":"assi`,
		`"type":"assistant","message":{"stop_reason":"end_turn","usage":{}}}`,
		`"type":"progress","data":{"message":{"message":{"stop_reason":null,"usage":{}}}}}`,
	}
	const last = 3 // of the lines of a message
	lines := func(side string) (b []byte) {
		for i := range 200 {
			b = fmt.Appendf(b, "{\"%s\":%d,%s\n", side, i, shapes[i%len(shapes)])
		}
		return b
	}
	a, b := lines("a"), lines("b")
	tr := newTree(t.TempDir(), rand.New(rand.NewPCG(1, 0)))
	merged := tr.interleave(a, append([]byte("\ufeff"), b...))
	var only [2][]byte
	turns, before, open := 0, 0, false
	for line := range bytes.Lines(merged) {
		side := strings.Index("ab", string(line[2]))
		only[side] = append(only[side], line...)
		if side != before {
			turns++
			if open {
				t.Errorf("%q interrupts a message", line)
			}
		}
		before = side
		open = slices.IndexFunc(shapes, func(s string) bool { return strings.HasSuffix(string(line), ","+s+"\n") }) < last
	}
	if !bytes.Equal(only[0], a) || !bytes.Equal(only[1], b) || turns < 20 {
		t.Errorf("after %d turns, got %d and %d bytes, want %d and %d", turns, len(only[0]), len(only[1]), len(a), len(b))
	}
}
