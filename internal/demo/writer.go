package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

// keptSessions is the number of sessions that a writer keeps: the current one and the
// latest before it.
const keptSessions = 8

// A writer writes one session after another.
type writer struct {
	home  string
	name  string        // of its process, in the registry of sessions
	lines []corpus.Line // still to be written
	last  time.Time     // when the latest line was due
	kept  [][]string    // the files of each session, the oldest first
}

// begin makes lines the current session, unless there are none.
func (w *writer) begin(lines []corpus.Line) {
	if len(lines) == 0 {
		return
	}
	seen := make(map[string]bool)
	var files []string
	for _, l := range lines {
		if !seen[l.Path] {
			seen[l.Path] = true
			files = append(files, w.file(l.Path))
		}
	}
	w.lines, w.kept = lines, append(w.kept, files)
}

// file returns the name of a file of the session.
func (w *writer) file(path string) string { return filepath.Join(w.home, filepath.FromSlash(path)) }

// due returns when the next line is to be written.
func (w *writer) due() time.Time { return w.lines[0].At }

// write writes the next line as Claude Code does: open, write, close.
func (w *writer) write() error {
	line := w.lines[0]
	w.lines, w.last = w.lines[1:], line.At
	name := w.file(line.Path)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		f, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(line.Text)
	return errors.Join(err, f.Close())
}

// cleanUp removes the oldest sessions and the directories that are then empty, which
// would otherwise stay watched. Somebody else may have removed them already.
func (w *writer) cleanUp() error {
	for len(w.kept) > keptSessions {
		for _, name := range w.kept[0] {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove old session: %w", err)
			}
			for dir := filepath.Dir(name); filepath.Dir(dir) != w.home && os.Remove(dir) == nil; {
				dir = filepath.Dir(dir)
			}
		}
		w.kept = w.kept[1:]
	}
	return nil
}
