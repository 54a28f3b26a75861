package transcript

import "slices"

// A rawUsage is the "usage" of an assistant's message, or an element of its iterations.
type rawUsage struct {
	present                        bool // it is an object
	whole                          rawValue
	unknown                        bool // it has unknown keys with numbers
	input, output, cached, written rawValue
	lifetimes                      [2]rawValue // cache_creation: 5 minutes, 1 hour
	tools                          [2]rawValue // server_tool_use: searches, fetches
	details                        [1]rawValue // output_tokens_details: thinking
	unknownNested                  [3]bool     // which of these three objects has unknown keys
	iterations                     rawValue
	otherIterations                bool // see cursor.otherIterations
	speed, geo, tier               rawValue
}

// otherIterations skips the iterations of a usage, and reports whether any has a type
// that is not in includedIterations.
func (c *cursor) otherIterations() (others bool) {
	for more := c.enter('['); more; more = c.more(']') {
		var typ rawValue
		for more := c.enter('{'); more; more = c.more('}') {
			if string(c.key()) == "type" {
				typ = c.value()
			} else {
				c.value()
			}
		}
		others = others || !typ.isNull() && !slices.ContainsFunc(includedIterations, typ.is)
	}
	return others
}

func (u *rawUsage) read(c *cursor) {
	*u = rawUsage{present: c.nextIs('{')}
	start := c.at
	for more := c.enter('{'); more; more = c.more('}') {
		switch string(c.key()) {
		case "input_tokens":
			u.input = c.value()
		case "output_tokens":
			u.output = c.value()
		case "cache_read_input_tokens":
			u.cached = c.value()
		case "cache_creation_input_tokens":
			u.written = c.value()
		case "cache_creation":
			u.unknownNested[0] = c.pick(nestedUsageKeys[0].keys, u.lifetimes[:])
		case "server_tool_use":
			u.unknownNested[1] = c.pick(nestedUsageKeys[1].keys, u.tools[:])
		case "output_tokens_details":
			u.unknownNested[2] = c.pick(nestedUsageKeys[2].keys, u.details[:])
		case "iterations":
			start := c.at
			u.otherIterations = c.otherIterations()
			u.iterations = c.since(start)
		case "speed":
			u.speed = c.value()
		case "inference_geo":
			u.geo = c.value()
		case "service_tier":
			u.tier = c.value()
		case "fallback_credit":
			c.value()
		default:
			u.unknown = c.value().hasNumber() || u.unknown
		}
	}
	u.whole = c.since(start)
}
