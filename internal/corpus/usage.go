package corpus

// A usage is what one record says of the tokens of a message.
type usage struct {
	input, output, read  int
	written5m, written1h int
	written              int // without a stated lifetime
	thinking             int // part of output
	searches, fetches    int // by tools of the server
	advisor              *advisor
}

// An advisor is another model that was asked for one response.
type advisor struct {
	model               string
	input, output, read int
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
	f.iterations(u)
	f.raw(`}`)
}

// iterations writes the requests of which a response was made. They repeat the
// top level, save those to an advisor.
func (f *file) iterations(u *usage) {
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
		if a := u.advisor; a != nil {
			f.raw(`,{"type":"advisor_message","model":`).quote(a.model).raw(`,"input_tokens":`).num(a.input)
			f.raw(`,"output_tokens":`).num(a.output).raw(`,"cache_read_input_tokens":`).num(a.read)
			f.raw(`,"cache_creation_input_tokens":0}`)
		}
	}
	f.raw(`],"speed":"standard"`)
}
