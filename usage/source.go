package usage

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A SessionReader returns the content of a session's transcripts, or false if there are
// no transcripts.
type SessionReader = func(ledger.SessionID) (ledger.SessionDetail, bool, error)

// A Source provides the data of the API and the page. The functions are called from
// several goroutines.
type Source struct {
	// History returns when all counters grew, or false while nothing may be exposed.
	History func() (counters.History, bool)
	// Sessions returns the most recently active sessions that a query selects, or false
	// while nothing may be exposed.
	Sessions func(ledger.SessionQuery) (ledger.SessionList, bool)
	// ReadSessions returns a reader for the sessions of a request, which looks for their
	// transcripts once. Two requests have one at a time; nil is no transcripts.
	ReadSessions func(context.Context) SessionReader
	// Limits returns the windows of usage limits that are known; nil is none.
	Limits func() []limits.Window
	// ContextWindow returns the number of tokens that the context of a session can have,
	// 0 if that is not known; nil is 0 for all.
	ContextWindow func(source counters.SourceLabels, sessionID string) uint64
	// Location returns the time zone of days for requests that state none; nil is the
	// local one.
	Location func() *time.Location
	// Logger is for panics and for errors; nil is slog.Default.
	Logger *slog.Logger
	// Now returns the time; nil is time.Now.
	Now func() time.Time
}

// SetDefaults sets the fields that are nil and need not be set.
func (s *Source) SetDefaults() {
	if s.ReadSessions == nil {
		s.ReadSessions = func(context.Context) SessionReader {
			return func(ledger.SessionID) (d ledger.SessionDetail, ok bool, err error) { return d, false, nil }
		}
	}
	if s.Limits == nil {
		s.Limits = func() []limits.Window { return nil }
	}
	if s.ContextWindow == nil {
		s.ContextWindow = func(counters.SourceLabels, string) uint64 { return 0 }
	}
	if s.Location == nil {
		s.Location = func() *time.Location { return time.Local }
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.Logger = cmp.Or(s.Logger, slog.Default())
}
