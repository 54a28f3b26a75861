package corpus

// A usage is what one record says of the tokens of a message.
type usage struct {
	input, output, read  int
	written5m, written1h int
	written              int // without a stated lifetime
	thinking             int // part of output
	searches, fetches    int // by tools of the server
	iterations           []iteration
}

// An iteration is a request that was made for one response and is not in its own
// counts: to an advisor, to compact the context on the server, or one that was given up.
type iteration struct {
	kind                         string
	model                        string // empty: that of the message, and not stated
	input, output, read, written int
}

// A form is how the usage of a message is written.
type form struct {
	bare   bool // without the counts of the cache, as some gateways begin
	nested bool // the cache writes stand only by their lifetimes, not in sum
}

// usage writes the usage of a message in the way of the file's version.
func (f *file) usage(u *usage, as form) {
	f.raw(`{"input_tokens":`).num(u.input)
	if as.bare {
		f.raw(`,"output_tokens":`).num(u.output).raw(`}`)
		return
	}
	sum := u.written5m + u.written1h + u.written
	if as.nested {
		sum = 0
	}
	f.raw(`,"cache_creation_input_tokens":`).num(sum).raw(`,"cache_read_input_tokens":`).num(u.read)
	if f.version >= v(2, 0, 0) {
		f.raw(`,"cache_creation":{"ephemeral_5m_input_tokens":`).num(u.written5m)
		f.raw(`,"ephemeral_1h_input_tokens":`).num(u.written1h).raw(`}`)
	}
	f.raw(`,"output_tokens":`).num(u.output)
	if f.version >= v(2, 1, 220) {
		f.raw(`,"output_tokens_details":{"thinking_tokens":`).num(u.thinking).raw(`}`)
	}
	if f.version >= v(2, 1, 50) || u.searches+u.fetches > 0 {
		f.raw(`,"server_tool_use":{"web_search_requests":`).num(u.searches).raw(`,"web_fetch_requests":`).num(u.fetches).raw(`}`)
	}
	f.raw(`,"service_tier":"standard"`)
	if f.version >= v(2, 1, 19) {
		f.raw(`,"inference_geo":"not_available"`)
	}
	f.writeIterations(u)
	if f.version >= v(2, 1, 287) && f.chance(2) {
		f.raw(`,"fallback_credit":{"eligible":false}`)
	}
	f.raw(`}`)
}

// writeIterations writes the requests of which a response was made: those that the
// top level adds up, and those that it does not.
func (f *file) writeIterations(u *usage) {
	if f.version < v(2, 1, 59) {
		return
	}
	f.raw(`,"iterations":[`)
	if f.version >= v(2, 1, 98) {
		f.raw(`{"input_tokens":`).num(u.input).raw(`,"output_tokens":`).num(u.output)
		f.raw(`,"cache_read_input_tokens":`).num(u.read)
		f.raw(`,"cache_creation_input_tokens":`).num(u.written5m + u.written1h + u.written)
		f.raw(`,"cache_creation":{"ephemeral_5m_input_tokens":`).num(u.written5m)
		f.raw(`,"ephemeral_1h_input_tokens":`).num(u.written1h).raw(`},"type":"message"}`)
		for _, it := range u.iterations {
			if it.kind == unknownIteration {
				f.open.unknown = "iteration"
			}
			f.raw(`,{"type":`).quote(it.kind)
			if it.model != "" {
				f.raw(`,"model":`).quote(it.model)
			}
			f.raw(`,"input_tokens":`).num(it.input).raw(`,"output_tokens":`).num(it.output)
			f.raw(`,"cache_read_input_tokens":`).num(it.read)
			f.raw(`,"cache_creation_input_tokens":`).num(it.written).raw(`}`)
		}
	}
	f.raw(`],"speed":"standard"`)
}
