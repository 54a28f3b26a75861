package daemon

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/wire"
)

// A state is what a checkpoint holds: what has been counted, and of which
// files how much has been read.
type state struct {
	ledger     *ledger.Ledger
	files      map[ledger.FileID]*knownFile
	byIdentity map[tailer.ID]ledger.FileID // follows from files
	next       ledger.FileID
	// begun: the first catch-up is done, so that a new series is news.
	begun bool
}

// A knownFile is a file that was read, wherever it is. Its name is not kept.
type knownFile struct {
	path     transcript.Key // digest of where it was last
	identity tailer.ID
	mark     tailer.Mark
	gone     int64 // since when it is not found, in milliseconds since the epoch; 0 while it is
}

func newState(o ledger.Options, now int64) *state {
	return &state{
		ledger:     ledger.New(o, now),
		files:      make(map[ledger.FileID]*knownFile),
		byIdentity: make(map[tailer.ID]ledger.FileID),
		next:       1,
	}
}

func (s *state) code(c *wire.Coder) {
	wire.Map(c, &s.files, wire.Uint, func(c *wire.Coder, f **knownFile) {
		if c.Reading() {
			*f = new(knownFile)
		}
		(*f).code(c)
	})
	wire.Uint(c, &s.next)
	c.Bool(&s.begun)
	s.ledger.Code(c)
	if c.Reading() {
		for id, f := range s.files {
			if f.identity != (tailer.ID{}) {
				s.byIdentity[f.identity] = id
			}
		}
	}
}

func (f *knownFile) code(c *wire.Coder) {
	c.Fixed(f.path[:])
	codeIdentity(c, &f.identity)
	codeMark(c, &f.mark)
	c.Int(&f.gone)
}

func codeIdentity(c *wire.Coder, id *tailer.ID) {
	wire.Uint(c, &id.Device)
	wire.Uint(c, &id.Inode)
}

func codeMark(c *wire.Coder, m *tailer.Mark) {
	c.Int(&m.Offset)
	for _, p := range [...]*tailer.Print{&m.Head, &m.Last} {
		wire.Uint(c, &p.Sum)
		wire.Uint(c, &p.Len)
	}
}

// goneBefore returns the files that have been gone since before the time then.
func (s *state) goneBefore(then int64) []ledger.FileID {
	var ids []ledger.FileID
	for id, f := range s.files {
		if f.gone != 0 && f.gone < then {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// A journal takes steps so that they can be repeated.
type journal interface {
	Append(step []byte) error
}

// A shared state is one that is changed by the engine and read by scrapes.
type shared struct {
	mu      sync.Mutex
	state   *state
	journal journal // nil while nobody can see what is counted
	failed  error   // the first failure of writing to the journal since it was begun
	buf     []byte
	size    int // of the last snapshot
	grown   int // by how much the journal has since
}

// do applies a step. Once the journal has failed, steps are applied all the
// same: numbers that are right now are worth more than none. The next snapshot
// makes good for it.
func (s *shared) do(one step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked(one)
}

func (s *shared) locked(one step) {
	if s.journal != nil {
		s.buf = encodeStep(one, s.buf[:0])
		if err := s.journal.Append(s.buf); err != nil && s.failed == nil {
			s.failed = err
		}
		s.grown += len(s.buf)
	}
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	one.apply(s.state)
}

// fill makes to what a scrape at the time now shows.
func (s *shared) fill(to *ledger.Snapshot, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.ledger.Fill(to, now)
	if s.state.ledger.Unshown() {
		s.locked(&showStep{})
	}
}

// find returns the file with an identity, or the number that it would get.
func (s *shared) find(identity tailer.ID) (ledger.FileID, knownFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.state.byIdentity[identity]
	if !ok {
		return s.state.next, knownFile{}, false
	}
	return id, *s.state.files[id], true
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

// present returns every file that is not known to be gone, in order, and which
// of all files have something in them that waits for quiet.
func (s *shared) present() (there, restless []ledger.FileID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.state.files)) {
		if s.state.files[id].gone == 0 {
			there = append(there, id)
		}
		if s.state.ledger.Restless(id) {
			restless = append(restless, id)
		}
	}
	return there, restless
}

// goneSince returns when a file was missed, or a time far in the future while
// it was not.
func (s *shared) goneSince(id ledger.FileID) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.state.files[id]; f != nil && f.gone != 0 {
		return time.UnixMilli(f.gone)
	}
	return time.UnixMilli(1 << 52)
}
