package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const (
	// hotFiles is the number of files that were written within the last minutes, each in
	// a directory of its own.
	hotFiles = 5
	hotAge   = 5 * time.Minute     // at most
	coldAge  = time.Hour           // at least
	kept     = 45 * 24 * time.Hour // at most
)

// A tree is a directory of session files with one request each, evenly distributed over
// its directories.
type tree struct {
	root    string
	dirs    int
	files   []string // the first ones are hot
	written int      // requests so far
	others  int      // calls of other
}

func newTree(root string, o options) *tree {
	t := &tree{root: root, dirs: o.directories}
	for i := range o.files {
		t.files = append(t.files, t.fileIn(i))
	}
	return t
}

// fileIn returns the name of a session file in a directory.
func (t *tree) fileIn(number int) string {
	return filepath.Join(t.root, fmt.Sprintf("-home-dev-project-%d", number%t.dirs), sessionID(number)+".jsonl")
}

func sessionID(number int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", number, number) }

// write writes all files, and sets the modification times of files and directories. A
// directory was modified when its newest file was.
func (t *tree) write(now time.Time) error {
	newest := make(map[string]time.Time)
	for i, file := range t.files {
		modified := now.Add(-coldAge - rand.N(kept-coldAge)) //nolint:gosec // no secret
		if i < hotFiles {
			modified = now.Add(-rand.N(hotAge)) //nolint:gosec // no secret
		}
		if err := t.append(file, modified); err != nil {
			return err
		}
		if err := os.Chtimes(file, modified, modified); err != nil {
			return err
		}
		dir := filepath.Dir(file)
		newest[dir] = slices.MaxFunc([]time.Time{newest[dir], modified}, time.Time.Compare)
	}
	for dir, at := range newest {
		if err := os.Chtimes(dir, at, at); err != nil {
			return err
		}
	}
	return os.Chtimes(t.root, now.Add(-coldAge), now.Add(-coldAge))
}

// append appends a line with a request to a file, and creates it if necessary.
func (t *tree) append(file string, at time.Time) error {
	t.written++
	s := transcripttest.Session{
		ID: strings.TrimSuffix(filepath.Base(file), ".jsonl"), Name: sessionID(t.written), CWD: "/home/dev/project",
		Start: at.Add(-time.Second),
	}
	s.Reply(transcripttest.Reply{ID: fmt.Sprintf("msg_%024d", t.written), Model: "claude-opus-4-6", Stop: "end_turn", In: 3, Out: 5})
	return transcripttest.AppendFile(file, s.String())
}

// newIn returns a new file in a directory.
func (t *tree) newIn(dir int) string { return t.fileIn((len(t.files)+t.written)*t.dirs + dir) }

// other returns alternately a cold file, and a new one beside a cold one, each in a
// directory that had no hot file so far.
func (t *tree) other() string {
	t.others++
	number := hotFiles + (t.others-1)%(t.dirs-hotFiles)
	if t.others%2 == 0 || number >= len(t.files) {
		return t.newIn(number)
	}
	return t.files[number]
}
