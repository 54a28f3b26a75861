package limits

// maxSessions is the number of sessions whose last report is kept.
const maxSessions = 256

// A lastOf has a value for each of the sessions that reported last. The zero value is
// empty.
type lastOf[T any] struct {
	values  map[string]numbered[T] // by session
	reports uint64                 // number of all reports
}

// A numbered value has the number of reports up to its own.
type numbered[T any] struct {
	value    T
	sequence uint64
}

func (l *lastOf[T]) get(session string) (value T, known bool) {
	v, known := l.values[session]
	return v.value, known
}

// set records a session's report. If there are too many sessions, it forgets the one
// whose last report is oldest.
func (l *lastOf[T]) set(session string, value T) {
	if l.values == nil {
		l.values = make(map[string]numbered[T])
	}
	l.reports++
	l.values[session] = numbered[T]{value, l.reports}
	if len(l.values) <= maxSessions {
		return
	}
	oldest := session
	for id, v := range l.values {
		if v.sequence < l.values[oldest].sequence {
			oldest = id
		}
	}
	delete(l.values, oldest)
}

func (s *Store) setContext(source string, r *Report) {
	if s.contexts == nil {
		s.contexts = make(map[string]*lastOf[uint64])
	}
	if s.contexts[source] == nil {
		s.contexts[source] = new(lastOf[uint64])
	}
	s.contexts[source].set(r.Session, r.ContextWindow)
}

// ContextWindow returns the number of tokens that the context of a session of a source
// can have, 0 if the session has not reported it.
func (s *Store) ContextWindow(source, session string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.contexts[source] == nil {
		return 0
	}
	tokens, _ := s.contexts[source].get(session)
	return tokens
}
