package transcripttest

// modelChanged is what a message states that was sent to another model than the one
// before.
const modelChanged = `,"diagnostics":{"cache_miss_reason":{"type":"model_changed","cache_missed_input_tokens":7}}`
