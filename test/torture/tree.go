package torture

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// minGrowing is the number of growing files below which more sessions are generated.
const minGrowing = 12

// A tree is the watched directory and the intended content of its files.
type tree struct {
	rng    *rand.Rand
	root   string // the watched directory
	linked string // projects behind links in the tree
	store  string // the complete files

	files     []*file // existing
	growing   []*file // existing and incomplete
	deleted   []*file
	expected  reference.Totals // of the complete files, set when all are known
	series    naive.Totals     // of the complete files
	allowance map[string]int64 // see applyAllowance
	parts     int              // directories in the store
	probes    int              // see probe
	names     int              // generated names
	lines     int              // written, including repetitions
	bytes     int64            // written, including repetitions
}

// A file is a transcript in the tree.
type file struct {
	name       string // below the root, with slashes
	source     string // the complete file in the store
	agent      bool
	content    []byte // the complete content; nil once it is written
	dropped    int    // bytes that were dropped from the beginning
	written    int    // bytes of the content
	terminated bool   // the last line ends with a newline
	probe      bool   // only deletion affects it
	copied     bool   // another file counts as the same sub-agent's, so neither is deleted
	hidden     bool   // unreadable or being saved, so it does not grow
	deleting   bool   // complete, read, and to be deleted
	read       bool   // was once complete when the daemon read it
}

func newTree(dir string, rng *rand.Rand) *tree {
	return &tree{
		rng: rng, root: filepath.Join(dir, "watched"), store: filepath.Join(dir, "truth"),
		linked: filepath.Join(dir, "linked"),
		series: make(naive.Totals), allowance: make(map[string]int64),
	}
}

// abs returns the path of a name below the root.
func (t *tree) abs(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }

// writeChunk appends to a random file.
func (t *tree) writeChunk() error {
	if len(t.growing) < minGrowing {
		if err := t.generate(); err != nil {
			return err
		}
	}
	f := pick(t.rng, t.growing)
	if f.hidden {
		return nil
	}
	return t.write(f, t.chunkSize(f))
}

// chunkSize returns the number of bytes to write: mostly a line or the rest of a line,
// else a part of a line or several lines.
func (t *tree) chunkSize(f *file) int {
	rest := f.content[f.written:]
	line := bytes.IndexByte(rest, '\n') + 1
	if line == 0 {
		line = len(rest)
	}
	switch n := t.rng.IntN(10); {
	case line == 0:
		return 0
	case n < 4:
		return 1 + t.rng.IntN(line)
	case n == 4:
		return min(len(rest), line+t.rng.IntN(20_000))
	}
	return line
}

// write appends the next n bytes to a file.
func (t *tree) write(f *file, n int) error {
	b := f.content[f.written : f.written+n]
	if err := appendTo(t.abs(f.name), b); err != nil {
		return fmt.Errorf("write a transcript: %w", err)
	}
	t.lines += bytes.Count(b, []byte("\n"))
	t.bytes += int64(n)
	if f.written += n; f.written < len(f.content) {
		return nil
	}
	f.terminated = bytes.HasSuffix(f.content, []byte("\n"))
	f.content = nil
	t.growing = slices.DeleteFunc(t.growing, func(g *file) bool { return g == f })
	return nil
}

// complete returns the files of which everything is written and can be read.
func (t *tree) complete() (all []*file) {
	for _, f := range t.files {
		if f.content == nil && f.terminated && !f.hidden {
			all = append(all, f)
		}
	}
	return all
}

// finish writes the rest of all files.
func (t *tree) finish() error {
	for len(t.growing) > 0 {
		f := t.growing[0]
		if err := t.write(f, len(f.content)-f.written); err != nil {
			return err
		}
	}
	return nil
}

// rewriteFrom marks the content from an offset on as not written.
func (t *tree) rewriteFrom(f *file, written int) error {
	if f.content == nil {
		var err error
		if f.content, err = os.ReadFile(f.source); err != nil {
			return err
		}
		t.growing = append(t.growing, f)
	}
	f.written = written
	return nil
}

// current returns the content of a file in the tree.
func (f *file) current() ([]byte, error) {
	b := f.content
	if b == nil {
		var err error
		if b, err = os.ReadFile(f.source); err != nil {
			return nil, err
		}
	}
	return b[f.dropped:f.written], nil
}

func (t *tree) generate() error {
	t.parts++
	dir := filepath.Join(t.store, fmt.Sprintf("%05d", t.parts))
	if _, err := corpus.Generate(dir, corpus.Options{Seed: t.rng.Uint64(), Projects: 6, Unpriced: 60}); err != nil {
		return err
	}
	if err := t.mergeSessions(dir); err != nil {
		return err
	}
	if err := t.addSeries(dir); err != nil {
		return err
	}
	projects := make(map[string]string) // names in the tree, different in every part
	return walkFiles(filepath.Join(dir, "projects"), func(rel, name string) error {
		project, rest, _ := strings.Cut(rel, "/")
		if projects[project] == "" {
			projects[project] = fmt.Sprintf("%s-%d", project, t.parts)
			if err := t.addProject(projects[project]); err != nil {
				return err
			}
		}
		return t.addFile(projects[project]+"/"+rest, name)
	})
}

// addProject adds the directory of a project to the tree. Every fourth directory is
// outside the tree, behind a link.
func (t *tree) addProject(name string) error {
	if t.rng.IntN(4) > 0 {
		return os.MkdirAll(t.abs(name), 0o755) //nolint:gosec // synthetic
	}
	target := filepath.Join(t.linked, name)
	if err := errors.Join(os.MkdirAll(target, 0o755), os.MkdirAll(t.root, 0o755)); err != nil { //nolint:gosec // synthetic
		return err
	}
	return os.Symlink(target, t.abs(name))
}

// addSeries adds the totals of the second implementation for a part of the store. Parts
// have different ids, so that their series add up.
func (t *tree) addSeries(part string) error {
	tree, err := naive.Read(part, time.Now())
	if err == nil {
		t.series.Merge(naive.Expected(tree))
	}
	return err
}

// addFile adds a file of the store to the tree. Files that are not transcripts are
// written at once.
func (t *tree) addFile(name, source string) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if !isTranscript(name) {
		return appendTo(t.abs(name), content)
	}
	f := &file{name: name, source: source, content: content, agent: isAgent(name)}
	t.files = append(t.files, f)
	t.growing = append(t.growing, f)
	return t.write(f, t.rng.IntN(min(2, len(content))+1)) // creates the file
}

func isAgent(name string) bool { return transcript.KindOf(name).IsAgent() }

func isTranscript(name string) bool {
	if !transcript.IsTranscript(path.Base(name)) {
		return false
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if transcript.SkipDir(dir) {
			return false
		}
	}
	return true
}

// appendTo appends to a file as Claude Code does: open, write, close. The daemon may
// run as another user, who must be able to read it.
func appendTo(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // synthetic
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // the same
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

func pick[T any](rng *rand.Rand, values []T) T { return values[rng.IntN(len(values))] }
