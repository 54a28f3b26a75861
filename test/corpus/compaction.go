package corpus

// compactionTimes counts how long a compaction took and what it saved, if its version
// states that.
func (t *transcript) compactionTimes(trigger string) {
	if trigger == "" || t.version < v(2, 1, 105) {
		return
	}
	t.expected.add("compaction_times_count", "trigger="+trigger, 1)
	t.expected.add("compaction_times_ms", "trigger="+trigger, t.compacting)
	t.expected.add("compaction_saved_tokens", "trigger="+trigger, max(0, t.previous-t.context))
}
