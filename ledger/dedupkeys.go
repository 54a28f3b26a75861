package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// DuplicateKinds are the values of the label kind of ccwatchd_duplicates_total. The
// list must not be modified.
var DuplicateKinds = []string{
	"message", "tool_call", "tool_result", "prompt", "interruption", "compaction", "api_error", "api_retry",
	"turn", "queue_operation",
	"hook", "pull_request", "commit", "background_task",
}

// onceByTime is once for events that tools copy with new uuids. They also have a key of
// their time and what they state; both keys are recorded, whether or not the other is
// new.
func (c *core) onceByTime(uuids, times *dedupKeys, e *transcript.Entry, l *line, label string, n uint64) bool {
	isNew := c.first(uuids, e.UUID, l.id)
	if e.Time != 0 {
		stated := transcript.KeyOf(strconv.FormatInt(e.Time, 10), label, strconv.FormatUint(n, 10))
		isNew = c.firstAt(times, stated, l) && isNew
	}
	if !isNew {
		c.duplicate(uuids.kind, l.when)
	}
	return isNew
}

// firstAt is first for a key of a time. Two files may state the same at the same time
// and mean two events, unless one of them holds messages of other files, or none so
// far, as clones and shortened files do.
func (c *core) firstAt(kind *dedupKeys, stated transcript.Key, l *line) bool {
	clone := transcript.KeyOf("clone", string(stated[:]))
	holder, seen := kind.Get(hashOf(stated))
	copied := holder == l.id || c.claim(kind, clone, l.id)
	if l.file.has(fileHasCopies) || l.file.message.IsZero() {
		copied = true
		c.first(kind, clone, l.id)
	}
	c.first(kind, stated, l.id)
	return !seen || !copied
}
