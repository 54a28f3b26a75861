package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

// keptSessions is how many sessions are kept at a desk: the one that is being
// written, and those that were written last.
const keptSessions = 8

// A desk is where somebody writes one session after another.
type desk struct {
	home  string
	lines []corpus.Line // that are still to be written
	last  time.Time     // when the one before them was due
	kept  [][]string    // the files of each session, the oldest first
}

// begin has a session written next. It may have no lines.
func (d *desk) begin(lines []corpus.Line) {
	if len(lines) == 0 {
		return
	}
	seen := make(map[string]bool)
	var files []string
	for _, l := range lines {
		if !seen[l.Path] {
			seen[l.Path] = true
			files = append(files, d.at(l.Path))
		}
	}
	d.lines, d.kept = lines, append(d.kept, files)
}

// at is where a file of the session is.
func (d *desk) at(path string) string { return filepath.Join(d.home, filepath.FromSlash(path)) }

// due is when the next line is to be written.
func (d *desk) due() time.Time { return d.lines[0].At }

// write writes the next line as Claude Code does: open, write, close.
func (d *desk) write() error {
	line := d.lines[0]
	d.lines, d.last = d.lines[1:], line.At
	name := d.at(line.Path)
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

// tidy removes the oldest sessions, as far as nobody else has, and the directories
// that are empty then: each would be watched for nothing.
func (d *desk) tidy() error {
	for len(d.kept) > keptSessions {
		for _, name := range d.kept[0] {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("tidy up: %w", err)
			}
			for dir := filepath.Dir(name); filepath.Dir(dir) != d.home && os.Remove(dir) == nil; {
				dir = filepath.Dir(dir)
			}
		}
		d.kept = d.kept[1:]
	}
	return nil
}
