package cut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// quiet is the time without lines before and after a cut. Without it some cuts are
// within a message that is being written.
const quiet = 5 * time.Minute

// A Tree is transcripts below a directory.
type Tree struct {
	// Files are the paths of the transcripts, by their latest lines. A daemon reads old
	// files first, too: if several files record one event, the first file determines its
	// time.
	Files []string
	// Cuts are the possible times of a cut, in order: one for each quiet period that is
	// long enough. It is the period's last midnight in UTC or else its last full hour,
	// half hour, or beginning of an interval of the history.
	Cuts []time.Time
}

// Read returns the transcripts below a directory at the time now.
func Read(dir string, now time.Time) (Tree, error) {
	var t Tree
	var all []time.Time
	latest := make(map[string]time.Time)
	err := eachFile(dir, func(rel string, content []byte) error {
		path := filepath.Join(dir, rel)
		t.Files = append(t.Files, path)
		for line := range bytes.Lines(content) {
			if at, ok := timeOf(line); ok && !at.After(now) {
				all = append(all, at)
				if at.After(latest[path]) {
					latest[path] = at
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(t.Files, func(a, b string) int { return latest[a].Compare(latest[b]) })
	slices.SortFunc(all, time.Time.Compare)
	t.Cuts = between(all)
	return t, err
}

// between returns the times to cut between sorted times of lines.
func between(all []time.Time) (cuts []time.Time) {
	for i := 1; i < len(all); i++ {
		first, last := all[i-1].Add(quiet), all[i].Add(-quiet)
		for _, unit := range []time.Duration{24 * time.Hour, time.Hour, coarse, counters.Interval} {
			if at := last.Truncate(unit); !at.Before(first) {
				cuts = append(cuts, at)
				break
			}
		}
	}
	return cuts
}

// coarse is the length of the intervals of an older history.
const coarse = 30 * time.Minute

// IsCoarse reports whether histories with coarse intervals can be cut at a time, too: a
// full or half hour.
func IsCoarse(at time.Time) bool { return at.Equal(at.Truncate(coarse)) }

// Copy copies the transcripts below a directory to another one, without lines that are
// not older than the cut. A line that states no time is as old as the latest line
// before it, or else as the file.
func Copy(dir, to string, cut time.Time) error {
	return eachFile(dir, func(rel string, content []byte) error {
		info, err := os.Stat(filepath.Join(dir, rel))
		if err != nil {
			return fmt.Errorf("cut transcripts: %w", err)
		}
		var kept []byte
		var latest time.Time
		for line := range bytes.Lines(content) {
			at, ok := timeOf(line)
			if ok && at.After(latest) {
				latest = at
			}
			if !ok {
				at = latest
			}
			if at.IsZero() {
				at = info.ModTime()
			}
			if at.Before(cut) {
				kept = append(kept, line...)
			}
		}
		if kept == nil {
			return nil
		}
		name := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("cut transcripts: %w", err)
		}
		if err := os.WriteFile(name, kept, 0o600); err != nil {
			return fmt.Errorf("cut transcripts: %w", err)
		}
		return nil
	})
}

// eachFile calls do with each transcript below a directory.
func eachFile(dir string, do func(rel string, content []byte) error) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("read transcripts: %w", err)
	}
	found, errs := watcher.Walk(context.Background(), watcher.Options{
		Roots: []string{dir}, Match: transcript.IsTranscript, SkipDir: transcript.SkipDir,
	})
	for _, f := range found {
		content, err := os.ReadFile(filepath.Join(dir, f.Rel))
		if err == nil {
			err = do(f.Rel, content)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("read transcripts: %w", err)
	}
	return nil
}
