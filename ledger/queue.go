package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// queue counts the operations on the queue of messages that arrive while Claude works.
type queue struct {
	basic
	operations counters.ID
	keys       *dedupKeys
}

func newQueue(c *core) *queue {
	return &queue{
		basic:      basic{c},
		operations: c.declare(claudeCounter("queue_operations_total", "Operations on the queue of messages and notifications that arrive while Claude works.", "operation")),
		keys:       c.keys("queue_operation", tableQueueOperations),
	}
}

// countLine counts an operation on the queue. There can be several of one kind in
// a millisecond, so the key includes the index among equal operations that follow each
// other in the file.
func (p *queue) countLine(l *line, e *transcript.Entry) {
	if e.QueueKey.IsZero() {
		return
	}
	f := l.file
	if op := shortHash(e.QueueKey[:]); f.queueOp == op {
		f.queueRepeats++
	} else {
		f.queueOp, f.queueRepeats = op, 0
	}
	if e.QueueOperation == "" {
		return
	}
	var room [10]byte
	index := string(strconv.AppendUint(room[:0], uint64(f.queueRepeats), 10))
	key := p.keys.inSource(transcript.KeyOf("queue", string(e.QueueKey[:]), index), l.source)
	if p.once(p.keys, key, l) {
		p.add(p.operations, 1, l.when, l.source, e.QueueOperation)
	}
}
