package transcript

// StatedMissReasons are the values of Message.MissReason that say why a request missed
// the prompt cache. The other types of a cache_miss_reason state that no previous
// request could be compared, for example after a pause, or name a change that explains
// no miss.
var StatedMissReasons = []string{"model_changed", "system_changed", "tools_changed"}

// missReason returns the change since the previous request that Claude Code states, one
// of StatedMissReasons, or "". Claude Code 2.1.119 and later compare the two requests,
// and mostly write the result as "diagnostics" of the message.
func (r *rawEntry) missReason() string {
	for _, diagnostics := range [...]rawValue{r.message.diagnostics, r.diagnostics} {
		stated := diagnostics.member("cache_miss_reason").member("type")
		for _, reason := range StatedMissReasons {
			if stated.is(reason) {
				return reason
			}
		}
	}
	return ""
}
