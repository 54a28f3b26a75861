package transcript

// These limits keep a hostile line from taking many times its size in memory. Genuine
// lines have up to a few hundred parts and a few runs of hooks.
const (
	// maxEntries limits the number of objects that are read of a line.
	maxEntries = 1 << 16
	// maxParts limits the parts of a line: the content blocks of its messages and queued
	// prompts, separate iterations, and models of a session's totals.
	maxParts = 1 << 16
	// maxHooks limits the runs and errors that are read of a summary of hooks.
	maxHooks = 256
	// maxHookRuns limits the runs that are read of all summaries of a line.
	maxHookRuns = 1 << 12
)

// A budget holds how many more parts and hook runs of a line are read. Parts and runs
// beyond the budget are validated, but ignored.
type budget struct{ parts, hookRuns int }

// newBudget returns the budget of a whole line.
func newBudget() budget { return budget{parts: maxParts, hookRuns: maxHookRuns} }

// part takes one part, and reports whether any was left.
func (b *budget) part() bool {
	if b.parts == 0 {
		return false
	}
	b.parts--
	return true
}
