package usage

// contextWindows are the sizes of context windows that models have, in tokens.
var contextWindows = [...]uint64{200_000, 1_000_000}

// ContextWindow returns the number of tokens that the context of a session can have:
// the one that its status line has reported, or else the smallest usual one that holds
// what it has; 0 if none does.
func ContextWindow(reported, context uint64) uint64 {
	if reported >= max(1, context) {
		return reported
	}
	for _, window := range contextWindows {
		if window >= context {
			return window
		}
	}
	return 0
}
