// Package limits keeps how full the usage limits of Claude subscriptions are.
//
// Claude Code passes them to its status-line command, which may hand them over as a
// [Report]. Each session repeats the limits of the last response that it received, so a
// [Store] decides which reports are new.
package limits

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// MaxWindows limits the different window names in a Store, and the windows in a report.
const MaxWindows = 16

const (
	// Times of a reset that differ by at most jitter are the same.
	jitter = time.Minute
	// emptyShown is how long after its reset a window without reports is exposed as 0.
	emptyShown = time.Hour
)

// Displays warn when this part of a limit or of a context window is used.
const (
	Warning  = 0.7
	Critical = 0.9
)

// A Window is how full one window of usage is.
type Window struct {
	Name   string    `json:"window"`           // as Claude Code states it, see Name
	Source string    `json:"source,omitempty"` // of the session, as Apply was called
	Used   float64   `json:"used"`             // 1 is the limit, but more can be used
	Resets time.Time `json:"resets"`           // zero if it has been reset, or is not stated
}

// Name returns the name of a window as the value of a label, "" for nothing.
func Name(stated string) string { return transcript.Clean(stated) }

// lengthOf returns how long the window of a name can last. A window whose name does not
// state a length, such as a spending limit, may last a month.
func lengthOf(name string) time.Duration { return cmp.Or(statedLength(name), 32*day) }

const day = 24 * time.Hour

// statedLength returns the length that a window's name states, or 0.
func statedLength(name string) time.Duration {
	switch {
	case name == FiveHours:
		return 5 * time.Hour
	case strings.HasPrefix(name, SevenDays):
		return 7 * day
	}
	return 0
}

// Names of windows whose length is known. Weekly windows of a single model begin with
// SevenDays.
const (
	FiveHours = "five_hour"
	SevenDays = "seven_day"
)

// A Store holds the latest windows of each source, and the size of the context of
// sessions. It is safe for concurrent use, and the zero value is empty.
type Store struct {
	mu       sync.Mutex
	windows  map[place]*window
	contexts map[string]*lastOf[uint64] // in tokens, by source
}

// A place identifies a window.
type place struct{ name, source string }

// A window is a Window with each session's last report of it.
type window struct {
	length   time.Duration
	used     float64
	resets   time.Time // zero if it is not stated
	changed  time.Time // when the last report that counted was applied
	sessions lastOf[lastReport]
}

// end returns the latest possible time of the reset.
func (w *window) end() time.Time {
	if w.resets.IsZero() {
		return w.changed.Add(w.length)
	}
	return w.resets
}

// A lastReport is a session's last report of a window.
type lastReport struct {
	used   float64
	resets time.Time
}

// Apply records a valid report that arrives now from a session of a source. Each source
// is an account with windows of its own. Windows beyond MaxWindows are ignored.
func (s *Store) Apply(source string, r *Report, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ContextWindow > 0 {
		s.setContext(source, r)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
		u := r.Limits[name]
		s.apply(place{name, source}, r.Session, *u.Percentage/100, u.resets(), now)
	}
}

func (s *Store) apply(p place, session string, used float64, resets, now time.Time) {
	names := make(map[string]bool)
	for known := range s.windows {
		names[known.name] = true
	}
	if !names[p.name] && len(names) == MaxWindows {
		return
	}
	if s.windows == nil {
		s.windows = make(map[place]*window)
	}
	if s.windows[p] == nil {
		s.windows[p] = &window{length: lengthOf(p.name), changed: now}
	}
	if w := s.windows[p]; w.apply(session, used, resets) {
		w.changed = now
	}
}

// apply records a session's report of a window, and reports whether it counts. An idle
// session repeats old numbers, which changes nothing. Changed numbers mean that the
// session has just had a response, so they count, even if they are lower because the
// plan changed. An unknown session may report old numbers, which count only if they are
// higher.
//
// A later reset begins the next window. A reset earlier than the known reset by less
// than the length of a window (minus early, for clocks) is a correction, not another
// window. Only a known session can correct a reset, or report that there is no reset
// any more.
func (w *window) apply(session string, used float64, resets time.Time) bool {
	last, known := w.sessions.get(session)
	w.sessions.set(session, lastReport{used, resets})
	if known && used == last.used && isSame(resets, last.resets) {
		return false
	}
	counts := known
	switch later := resets.Sub(w.resets); {
	case isSame(resets, w.resets):
		counts, resets = known || used > w.used, w.resets
	case !resets.IsZero():
		counts = later > 0 || known && -later < w.length-early
	}
	if counts {
		w.used, w.resets = used, resets
	}
	return counts
}

// isSame reports whether two times of a reset are the same, or both not stated.
func isSame(a, b time.Time) bool { return a.Sub(b).Abs() <= jitter }

// Windows returns the windows at a time, by name and source. A window that has been
// reset is empty, and is listed for emptyShown.
func (s *Store) Windows(now time.Time) (all []Window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, w := range s.windows {
		switch since := now.Sub(w.end()); {
		case since < 0:
			all = append(all, Window{p.name, p.source, w.used, w.resets})
		case since < emptyShown:
			all = append(all, Window{Name: p.name, Source: p.source})
		default:
			delete(s.windows, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Window) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Source, b.Source))
	})
	return all
}

// Save returns the windows with a stated reset, for Restore.
func (s *Store) Save(now time.Time) ([]byte, error) {
	all := slices.DeleteFunc(s.Windows(now), func(w Window) bool { return w.Resets.IsZero() })
	b, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode limits: %w", err)
	}
	return b, nil
}

// Restore adds the windows that Save returned, or none. It skips windows that no
// session could report at that time.
func (s *Store) Restore(saved []byte, now time.Time) error {
	if len(saved) == 0 {
		return nil
	}
	var all []Window
	if err := json.Unmarshal(saved, &all); err != nil {
		return fmt.Errorf("decode limits: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range all {
		percentage, resets := 100*w.Used, w.Resets.Unix()
		if (&Usage{&percentage, &resets}).Check(w.Name, now) == nil {
			s.apply(place{w.Name, w.Source}, "", w.Used, w.Resets, now)
		}
	}
	return nil
}
