package corpus

// A queueKey is what a queue operation is counted by: its session, its time as it is
// written, its name, and its place among equal ones that follow each other.
type queueKey struct {
	session   string
	time      int64
	operation string
	nth       int
}

// queue writes the operations on the queue of what a person types while Claude
// is at work. Before 2.1.97 only the queue recorded it.
func (t *thread) queue() {
	t.operation("enqueue", t.typedOrNotified)
	t.pass(t.between(1, 30_000))
	t.operation(pick(t.dice, []string{"dequeue", "remove", "remove", "popAll"}), nil)
}

// queueBurst writes several operations of one kind within a millisecond.
func (s *session) queueBurst() {
	n := s.between(2, 4)
	for range n {
		s.operation("enqueue", s.typedOrNotified)
	}
	s.pass(s.between(1, 30_000))
	for range n - 1 {
		s.operation("remove", nil)
	}
	s.operation("popAll", nil)
}

// operation writes one operation; more adds a key.
func (t *thread) operation(name string, more func()) {
	t.note("queue-operation", func() {
		t.raw(`,"operation":`).quote(name).raw(`,"timestamp":`).time(t.now)
		t.owner()
		if more != nil {
			t.raw(`,`)
			more()
		}
	})
	key := queueKey{session: t.sessionID, time: t.world.tempo.at(t.now), operation: name}
	if last := t.latest; last.session == key.session && last.time == key.time && last.operation == key.operation {
		key.nth = last.nth + 1
	}
	t.latest = key
	t.books.queueOperation(key)
}

// typedOrNotified is an element of the queue: a typed message or a notification.
func (t *thread) typedOrNotified() {
	switch n := t.IntN(100); {
	case n < 8:
		t.raw(`"content":"<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"`)
	case n < 13:
		t.raw(`"content":"{\"taskId\":\"b1\",\"status\":\"completed\"}"`)
	default:
		t.sized("content", &t.texts.prose, &fieldSize)
	}
}

// queueOperation enters an operation, unless it is a copy.
func (b *books) queueOperation(key queueKey) {
	if !b.queued[key] {
		b.queued[key] = true
		b.add("queue_operations", "operation="+key.operation, 1)
	}
}
