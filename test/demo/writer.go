package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

// keptSessions is the number of sessions that a writer keeps: the current one and the
// latest before it.
const keptSessions = 8

// A writer writes one session after another.
type writer struct {
	home    string
	process string        // its name in the registry of sessions, "" if it does not register
	lines   []corpus.Line // of the current session, still to be written
	begins  time.Time     // when the next session begins, without a current one; zero if never
	kept    [][]string    // the files of each session, the oldest first

	// next returns when the next session begins after the end of one; nil if never.
	next func(end, now time.Time) time.Time
}

// never is later than every line.
var never = time.Unix(1<<40, 0)

// due returns when the next line is to be written, or the next session begins.
func (w *writer) due() time.Time {
	switch {
	case len(w.lines) > 0:
		return w.lines[0].At
	case w.begins.IsZero():
		return never
	}
	return w.begins
}

// begin makes lines the current session. A few sessions have none.
func (w *writer) begin(lines []corpus.Line) {
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

// write writes all lines of the current session that are due. It returns the number of
// files with a complete new line.
func (w *writer) write(now time.Time) (files int, err error) {
	due := make(map[string][]byte)
	end := w.begins
	for len(w.lines) > 0 && !w.lines[0].At.After(now) {
		line := w.lines[0]
		w.lines, end = w.lines[1:], line.At
		due[line.Path] = append(due[line.Path], line.Text...)
	}
	if files, err = w.append(due, now); err != nil || len(w.lines) > 0 {
		return files, err
	}
	if w.begins = (time.Time{}); w.next != nil {
		w.begins = w.next(end, now)
	}
	return files, w.register()
}

// file returns the name of a file of the session.
func (w *writer) file(path string) string { return filepath.Join(w.home, filepath.FromSlash(path)) }

// register registers the current session as Claude Code registers those of its
// processes, or that there is none. The process is this one, since it must exist.
func (w *writer) register() error {
	if w.process == "" {
		return nil
	}
	name := w.file("sessions/" + w.process + ".json")
	if len(w.lines) == 0 {
		return removed(os.Remove(name))
	}
	text := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"startedAt":%d,"status":"busy"}`, os.Getpid(), session(w.lines), w.lines[0].At.UnixMilli())
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600))
}

// session returns the id of the session with these lines, at least one: the name of its
// transcript.
func session(lines []corpus.Line) string {
	parts := strings.Split(lines[0].Path, "/")
	return strings.TrimSuffix(parts[min(2, len(parts)-1)], ".jsonl") // projects/PROJECT/SESSION
}

// removed returns nil for the error of removing a file that was removed before.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// append writes text to files by path. It returns the number of files with a complete
// new line. They are modified now.
func (w *writer) append(text map[string][]byte, now time.Time) (files int, err error) {
	for _, path := range slices.Sorted(maps.Keys(text)) {
		name := w.file(path)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return files, err
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return files, err
		}
		_, err = f.Write(text[path])
		if err := errors.Join(err, f.Close(), os.Chtimes(name, now, now)); err != nil {
			return files, err
		}
		if bytes.IndexByte(text[path], '\n') >= 0 {
			files++
		}
	}
	return files, nil
}

// cleanUp removes the oldest sessions and the directories that are then empty, which
// would otherwise stay watched. Somebody else may have removed them already.
func (w *writer) cleanUp() error {
	for len(w.kept) > keptSessions {
		for _, name := range w.kept[0] {
			if err := removed(os.Remove(name)); err != nil {
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
