package transcript

// modelChanged reports whether a line states that its request was made to another model
// than the one before. Claude Code 2.1.119 and later compare the two, and mostly write
// the result as "diagnostics" of the message. The other types of a cache_miss_reason
// name another part of the prompt that changed, or that there was nothing to compare
// with, as after a pause. That does not say why nothing was read from the cache.
func (r *rawEntry) modelChanged() bool {
	for _, diagnostics := range [...]rawValue{r.message.diagnostics, r.diagnostics} {
		if reason := diagnostics.member("cache_miss_reason"); reason.member("type").is("model_changed") {
			return true
		}
	}
	return false
}
