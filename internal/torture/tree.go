package torture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
	"github.com/ccwatchd/ccwatchd/internal/reference"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// fewGrowing is how many files are being written at least. When there are
// fewer, more sessions are generated.
const fewGrowing = 12

// A tree is the transcripts that the daemon watches, and what is to be in them.
type tree struct {
	dice  *rand.Rand
	root  string // what the daemon watches
	store string // everything as it is when it is complete

	files   []*file // that are there
	growing []*file // those of them that are not complete
	gone    []*file // that were deleted
	truth   reference.Totals
	seconds map[string]int64 // see allow
	parts   int              // of the store
	probes  int              // see probe
	names   int              // that were made up
	lines   int              // written, and those written again
	bytes   int64            // the same
}

// A file is a transcript in the tree.
type file struct {
	name    string // below the root, with slashes
	source  string // the complete file in the store
	agent   bool
	content []byte // all that it is to be; nil once it is written
	from    int    // what comes before was dropped from the file
	written int
	whole   bool // its last line has an end
	probe   bool // nothing but deleting is done to it
	copied  bool // another file counts as the same sub-agent's, so neither is deleted
	hidden  bool // it cannot be read, or is being saved, so it does not grow
	doomed  bool // it is complete, was read, and will be deleted
}

func newTree(dir string, dice *rand.Rand) *tree {
	return &tree{
		dice: dice, root: filepath.Join(dir, "watched"), store: filepath.Join(dir, "truth"),
		truth: make(reference.Totals), seconds: make(map[string]int64),
	}
}

// at is where something below the root is.
func (t *tree) at(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }

// piece writes the next piece of some file.
func (t *tree) piece() error {
	if len(t.growing) < fewGrowing {
		if err := t.generate(); err != nil {
			return err
		}
	}
	f := pick(t.dice, t.growing)
	if f.hidden {
		return nil
	}
	return t.write(f, t.length(f))
}

// length draws how much of a file is written at once: mostly a line, or what is
// left of it, else a part of one or some lines.
func (t *tree) length(f *file) int {
	rest := f.content[f.written:]
	line := bytes.IndexByte(rest, '\n') + 1
	if line == 0 {
		line = len(rest)
	}
	switch n := t.dice.IntN(10); {
	case line == 0:
		return 0
	case n < 4:
		return 1 + t.dice.IntN(line)
	case n == 4:
		return min(len(rest), line+t.dice.IntN(20_000))
	}
	return line
}

// write appends the next n bytes to a file.
func (t *tree) write(f *file, n int) error {
	b := f.content[f.written : f.written+n]
	if err := appendTo(t.at(f.name), b); err != nil {
		return fmt.Errorf("write a transcript: %w", err)
	}
	t.lines += bytes.Count(b, []byte("\n"))
	t.bytes += int64(n)
	if f.written += n; f.written < len(f.content) {
		return nil
	}
	f.whole = bytes.HasSuffix(f.content, []byte("\n"))
	f.content = nil
	t.growing = slices.DeleteFunc(t.growing, func(g *file) bool { return g == f })
	return nil
}

// finish writes all that is left.
func (t *tree) finish() error {
	for len(t.growing) > 0 {
		f := t.growing[0]
		if err := t.write(f, len(f.content)-f.written); err != nil {
			return err
		}
	}
	return nil
}

// grow takes a file up to a length as written, and has the rest written again.
func (t *tree) grow(f *file, written int) error {
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

// now returns what a file holds, as it is in the tree.
func (f *file) now() ([]byte, error) {
	b := f.content
	if b == nil {
		var err error
		if b, err = os.ReadFile(f.source); err != nil {
			return nil, err
		}
	}
	return b[f.from:f.written], nil
}

// generate makes more sessions, to be written.
func (t *tree) generate() error {
	t.parts++
	dir := filepath.Join(t.store, fmt.Sprintf("%05d", t.parts))
	truth, err := corpus.Generate(dir, corpus.Options{Seed: t.dice.Uint64(), Projects: 6, CloneAll: true})
	if err != nil {
		return err
	}
	if err := t.learn(truth); err != nil {
		return err
	}
	if err := t.share(dir); err != nil {
		return err
	}
	projects := filepath.Join(dir, "projects")
	return filepath.WalkDir(projects, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(projects, name)
		if err != nil {
			return err
		}
		// No two parts have a directory in common.
		project, rest, _ := strings.Cut(filepath.ToSlash(rel), "/")
		return t.begin(fmt.Sprintf("%s-%d/%s", project, t.parts, rest), name)
	})
}

// learn adds to the true totals. What is told of lines is no part of them,
// since lines are read again.
func (t *tree) learn(truth corpus.Expected) error {
	var b bytes.Buffer
	if err := truth.WriteTSV(&b); err != nil {
		return err
	}
	totals, err := reference.Expected(&b)
	if err != nil {
		return err
	}
	for key, n := range counted(totals) {
		t.truth[key] += n
	}
	return nil
}

// begin makes a file of the store known. What only lies about beside transcripts
// is there at once.
func (t *tree) begin(name, source string) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if !isTranscript(name) {
		return appendTo(t.at(name), content)
	}
	f := &file{name: name, source: source, content: content, agent: transcript.KindOf(name).IsAgent()}
	t.files = append(t.files, f)
	t.growing = append(t.growing, f)
	return t.write(f, t.dice.IntN(min(2, len(content))+1)) // from now on it is there
}

func isTranscript(name string) bool {
	dir, base := path.Split(name)
	return transcript.IsTranscript(base) && !slices.ContainsFunc(strings.Split(dir, "/"), transcript.SkipDir)
}

// appendTo writes to the end of a file, which need not be there, as Claude Code
// does: open, write, close. The daemon may run as another user, who may read it.
func appendTo(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // all of it is made up
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // the same
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// pick draws one of several values.
func pick[T any](dice *rand.Rand, values []T) T { return values[dice.IntN(len(values))] }
