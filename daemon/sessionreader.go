package daemon

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// maxSessionBytes limits the size of the transcripts of a session that ReadSessions
// reads: about half a second of a core.
const maxSessionBytes = 256 << 20

// ErrSessionSize is the error of ReadSessions for transcripts that are too large.
var ErrSessionSize = errors.New("the transcripts of the session are too large")

// ReadSessions returns a function that reads the present transcripts of a session and
// its sub-agents into a separate state, which needs memory for messages, not for
// transcripts. It returns false if the session has no transcripts. The first call looks
// for the transcripts of all sessions.
//
// It also reads the origins of a fork, so that each message counts for the same session
// as in the daemon.
//
// Without labels of its source, it is the session of the first source with this id.
func (d *Daemon) ReadSessions(ctx context.Context) func(ledger.SessionID) (ledger.SessionDetail, bool, error) {
	r := sessionReaders{match: transcript.IsTranscript, settings: d.settings.Load(), sources: *d.sources.Load(), now: d.now}
	return func(id ledger.SessionID) (detail ledger.SessionDetail, ok bool, err error) {
		files := d.state.TranscriptsOf(id)
		if files == nil || !d.ready.Load() {
			return detail, false, nil
		}
		return r.read(ctx, id, files)
	}
}

// ReadSessions is Daemon.ReadSessions for the session files that were read once.
func (r *Reading) ReadSessions(ctx context.Context) func(ledger.SessionID) (ledger.SessionDetail, bool, error) {
	readers := sessionReaders{match: isReadable, settings: &r.settings, sources: r.sources, now: time.Now}
	return func(id ledger.SessionID) (detail ledger.SessionDetail, ok bool, err error) {
		files := r.state.TranscriptsOf(id)
		if files == nil {
			return detail, false, nil
		}
		return readers.read(ctx, id, files)
	}
}

// sessionReaders reads the files of sessions whose names match.
type sessionReaders struct {
	match    func(name string) bool
	settings *Settings
	sources  []follow.Source
	now      func() time.Time
	found    []watcher.FoundFile // of all sessions
	walked   bool
}

// find returns the files of all sessions. It walks the sources of a follower once.
func (r *sessionReaders) find(ctx context.Context, f *follow.Follower, log *slog.Logger) []watcher.FoundFile {
	if !r.walked {
		walk := f.WatchOptions()
		walk.Logger, walk.Match = log, r.match
		r.found, _ = watcher.Walk(ctx, walk)
		r.walked = true
	}
	return slices.Clone(r.found)
}

// read reads the files of a session.
func (r *sessionReaders) read(ctx context.Context, id ledger.SessionID, files *ledger.SessionFiles) (detail ledger.SessionDetail, ok bool, err error) {
	labels := labelsOf(r.sources)
	one := newSessionReader(ledger.SessionID{Source: files.Source, ID: id.ID})
	o := r.settings.Ledger
	o.FineHistory = math.MaxInt64 / 2 // all intervals are short
	o.OnRequest = one.addRequest
	s, quiet := state.New(o, r.now), slog.New(slog.DiscardHandler)
	f := follow.New(follow.Options{
		State: s, Files: follow.NewFileTable(s), Log: quiet, Now: r.now, Unknown: follow.NewUnknownNames(quiet), Relabel: one.label,
	}, r.settings.followerConfig(r.sources))
	found := slices.DeleteFunc(r.find(ctx, f, quiet), func(file watcher.FoundFile) bool {
		return !files.Has(labels[file.Root], transcript.NameKey(file.Rel))
	})
	if ctx.Err() != nil || len(found) == 0 {
		return detail, false, ctx.Err()
	}
	if sizeOf(found) > maxSessionBytes {
		return detail, false, ErrSessionSize
	}
	f.ReadAtRest(ctx, f.Changed(ctx, found), func(_ watcher.FoundFile, err error) {
		if err != nil {
			detail.Failed++
		}
	})
	f.FinalizeAll()
	one.finish(&detail)
	detail.History = s.History()
	return detail, one.found, ctx.Err()
}

func sizeOf(files []watcher.FoundFile) (bytes int64) {
	for _, f := range files {
		bytes += f.Info.Size()
	}
	return bytes
}

// A sessionReader divides the lines of transcripts into the parts of a session.
type sessionReader struct {
	source  counters.SourceLabels
	session transcript.Key
	found   bool // a line belongs to the session
	agents  map[string]*ledger.SessionAgent

	requests []ledger.CountedRequest
	context  contextReader
}

func newSessionReader(id ledger.SessionID) *sessionReader {
	return &sessionReader{source: id.Source, session: transcript.KeyOf("session", id.ID), agents: make(map[string]*ledger.SessionAgent), context: newContextReader()}
}

// label replaces the project of an entry by the part of the session that it belongs to:
// the main conversation, a sub-agent, or ledger.OtherPart for other sessions.
func (r *sessionReader) label(source counters.SourceLabels, rel, agentType string, e *transcript.Entry) {
	e.HasProject, e.Project = true, ledger.OtherPart
	if source != r.source || e.Owner() != r.session {
		return
	}
	r.found = true
	kind := transcript.KindOf(rel)
	if !kind.IsAgent() {
		e.Project = ledger.MainPart
		if !e.Sidechain {
			r.context.add(e)
		}
		return
	}
	e.Project = strings.TrimSuffix(path.Base(filepath.ToSlash(rel)), ".jsonl")
	a := r.agents[e.Project]
	if a == nil {
		a = &ledger.SessionAgent{Name: e.Project, First: e.Time, Last: e.Time}
		r.agents[e.Project] = a
	}
	switch {
	case kind != transcript.Task:
		a.Type = string(kind)
	case e.Attribution != nil && e.Attribution.AgentType != "":
		a.Type = e.Attribution.AgentType
	default:
		a.Type = cmp.Or(a.Type, agentType)
	}
	if e.Time > 0 {
		a.First = min(cmp.Or(a.First, e.Time), e.Time)
		a.Last = max(a.Last, e.Time)
	}
}

// addRequest adds a request of the session.
func (r *sessionReader) addRequest(counted *ledger.CountedRequest) {
	if counted.Project != ledger.OtherPart {
		r.requests = append(r.requests, *counted)
	}
}

// finish sets the parts of the detail that were read.
func (r *sessionReader) finish(d *ledger.SessionDetail) {
	for _, name := range slices.Sorted(maps.Keys(r.agents)) {
		d.Agents = append(d.Agents, *r.agents[name])
	}
	d.Requests, d.Compactions, d.Results = r.requests, r.context.compactions, r.context.results
	slices.SortStableFunc(d.Agents, func(a, b ledger.SessionAgent) int { return cmp.Compare(a.First, b.First) })
	slices.SortStableFunc(d.Requests, func(a, b ledger.CountedRequest) int { return cmp.Compare(a.When, b.When) })
	slices.SortStableFunc(d.Compactions, func(a, b ledger.SessionCompaction) int { return cmp.Compare(a.When, b.When) })
	slices.SortStableFunc(d.Results, func(a, b ledger.SessionResult) int { return cmp.Compare(a.When, b.When) })
}
