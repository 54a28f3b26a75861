package daemon

import (
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// A state is what a checkpoint holds: what has been counted, and of which
// files how much has been read.
type state struct {
	ledger *ledger.Ledger
	files  *fileTable
	next   ledger.FileID
	// begun: the first catch-up is done, so that a new series is news.
	begun   bool
	unknown []byte // what a newer version has saved
}

func newState(o ledger.Options, now int64) *state {
	return &state{ledger: ledger.New(o, now), files: newFileTable(), next: 1}
}

// code visits the state.
func (s *state) code(c *codec.Coder) {
	c.Unknown(&s.unknown)
	s.files.code(c) // field 1
	codec.Uint(c, 2, &s.next)
	codec.Bool(c, 3, &s.begun)
	codec.Large(c, 4, s.ledger.SizeHint(), s.ledger, func(c *codec.Coder, l *ledger.Ledger) { l.Code(c) })
}

// codeIdentity visits two fields, of which the first has the given number.
func codeIdentity(c *codec.Coder, first codec.Number, id *tailer.ID) {
	codec.Uint(c, first, &id.Device)
	codec.Uint(c, first+1, &id.Inode)
}

// codeMark visits five fields, of which the first has the given number.
func codeMark(c *codec.Coder, first codec.Number, m *tailer.Mark) {
	codec.Int(c, first, &m.Offset)
	codec.Uint(c, first+1, &m.Head.Sum)
	codec.Uint(c, first+2, &m.Head.Len)
	codec.Uint(c, first+3, &m.Last.Sum)
	codec.Uint(c, first+4, &m.Last.Len)
}

// A journal takes steps so that they can be repeated.
type journal interface {
	Append(step []byte) error
}

// A shared state is one that is changed by the engine and read by scrapes.
type shared struct {
	mu      sync.Mutex
	state   *state
	now     func() time.Time
	journal journal         // nil while nobody can see what is counted
	failed  error           // why what happens is not in the journal any more; nil while it is
	paused  ledger.Snapshot // what is exposed until it is again
	missed  bool            // something happened since the state was encoded last that is not in the journal
	// appended gets a value when something was added to the journal.
	appended chan struct{}
	buf      []byte
	size     int // of the last snapshot
	grown    int // by how much the journal has since
}

// do applies a step. Once the journal has failed, steps are applied all the
// same, but not exposed before a snapshot has made good for it: what was exposed
// must come again after a crash.
func (s *shared) do(one step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal != nil {
		s.write(one)
	} else {
		s.missed = true
	}
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	one.apply(s.state)
}

// write puts a step into the journal, if there is one that holds those before it.
func (s *shared) write(one step) {
	if s.failed == nil {
		s.buf = encodeStep(one, s.buf[:0])
		if err := s.journal.Append(s.buf); err != nil {
			s.pause(err)
		}
		s.grown += len(s.buf)
		select {
		case s.appended <- struct{}{}:
		default:
		}
	}
	s.missed = s.missed || s.failed != nil
}

// pause has what was counted so far be exposed until it is written again.
func (s *shared) pause(why error) {
	if s.failed == nil {
		s.state.ledger.Fill(&s.paused, s.now().UnixMilli())
	}
	s.failed = why
}

// fill makes to what a scrape exposes.
func (s *shared) fill(to *ledger.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		*to = s.paused.Clone()
		return
	}
	s.state.ledger.Fill(to, s.now().UnixMilli())
}

// pending returns the number of the newest series that is exposed as 0; 0 is none.
// While the state cannot be written new series are not exposed at all.
func (s *shared) pending() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return 0
	}
	return s.state.ledger.Pending()
}

// find returns the file with an identity, or the number that it would get.
func (s *shared) find(identity tailer.ID) (ledger.FileID, knownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.state.files.identified(identity); f != nil {
		return f.id, *f, true
	}
	return s.state.next, knownFile{}, false
}

// at returns the file that was found where the digest says.
func (s *shared) at(path transcript.Key) (knownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.state.files.at(path); f != nil && f.is(there) {
		return *f, true
	}
	return knownFile{}, false
}

// meet notes that a walk has come by a file, if it is the one that was there
// before, and returns that. Where the walk cannot tell, one must have looked
// into it since the start.
func (s *shared) meet(path transcript.Key, found watcher.Found) (knownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.state.files.at(path)
	if f == nil {
		return knownFile{}, false
	}
	if identity, ok := identityOf(found); ok && f.identity != identity || !ok && !f.is(there) {
		return knownFile{}, false
	}
	s.state.files.meet(f, found.Root, transcript.KindOf(found.Rel).Agent())
	return *f, true
}

// duplicate reports whether what a walk has found at a place is there at another
// one, too, as it has met it, and not changed.
func (s *shared) duplicate(path transcript.Key, found watcher.Found) bool {
	identity, ok := identityOf(found)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.state.files.identified(identity)
	return f != nil && f.path != path && f.is(met) && f.looks(found)
}

// place notes that a file was opened under a name.
func (s *shared) place(id ledger.FileID, name watcher.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.state.files.get(id)
	f.traits |= opened
	s.state.files.meet(f, name.Root, transcript.KindOf(name.Rel).Agent())
}

// spare notes that a walk has come by a file that cannot be read, whatever it is
// called now.
func (s *shared) spare(path transcript.Key, found watcher.Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.state.files.at(path)
	if identity, ok := identityOf(found); ok {
		f = s.state.files.identified(identity)
	}
	if f != nil {
		f.traits |= met
	}
}

// walk begins a walk, which has met nothing yet.
func (s *shared) walk() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.files.all {
		s.state.files.all[i].traits &^= met
	}
}

// walked ends a walk and returns which files it did not meet. Those of which
// there is news since, at the given places, may have been moved behind its back.
func (s *shared) walked(news []transcript.Key, blind map[int]bool) []ledger.FileID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range news {
		if f := s.state.files.at(path); f != nil {
			f.traits |= met
		}
	}
	return s.state.files.unmet(blind)
}

// anew has every file looked for anew, and the ledger told of it.
func (s *shared) anew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.files.all {
		s.state.files.miss(&s.state.files.all[i])
	}
}

// there returns how many files are.
func (s *shared) there() (sessions, agents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.files.sessions, s.state.files.agents
}

// next returns the number that the next new file gets.
func (s *shared) next() ledger.FileID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.next
}

// restless reports whether something in a file waits for quiet.
func (s *shared) restless(id ledger.FileID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.ledger.Restless(id)
}

// doubtful reports whether a file may be one that was counted.
func (s *shared) doubtful(id ledger.FileID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.ledger.Doubtful(id)
}

// allRestless returns the files in which something waits for quiet, in order.
func (s *shared) allRestless() (ids []ledger.FileID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.files.all {
		if id := s.state.files.all[i].id; s.state.ledger.Restless(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// goneSince returns when a file was missed, or a time far in the future while
// it was not.
func (s *shared) goneSince(id ledger.FileID) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := s.state.files.gone[id]; since != 0 {
		return time.UnixMilli(since)
	}
	return time.UnixMilli(1 << 52)
}
