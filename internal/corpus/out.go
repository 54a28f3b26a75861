package corpus

import (
	"strconv"
	"time"
)

// An out is JSON as it is being written. Its methods return it, so that an
// object can be written in one go.
type out struct {
	b     []byte
	tempo tempo // of the times that are written
}

// raw adds what is JSON already.
func (o *out) raw(s string) *out {
	o.b = append(o.b, s...)
	return o
}

func (o *out) bytes(b []byte) *out {
	o.b = append(o.b, b...)
	return o
}

func (o *out) num(n int) *out {
	o.b = strconv.AppendInt(o.b, int64(n), 10)
	return o
}

func (o *out) bool(b bool) { o.b = strconv.AppendBool(o.b, b) }

// quote adds a string that needs no escapes.
func (o *out) quote(s string) *out {
	o.b = append(append(append(o.b, '"'), s...), '"')
	return o
}

// str adds any string.
func (o *out) str(s string) *out {
	o.b = append(o.b, '"')
	o.b = appendEscaped(o.b, s, func() bool { return false })
	o.b = append(o.b, '"')
	return o
}

// text adds a string of about size bytes.
func (o *out) text(t *text, d dice, size int) *out {
	o.b = append(o.b, '"')
	o.b = t.appendTo(o.b, d, size)
	o.b = append(o.b, '"')
	return o
}

// base64 adds a string of binary data.
func (o *out) base64(t *texts, d dice, size int) *out {
	o.b = append(o.b, '"')
	for size > 0 {
		from := d.IntN(len(t.base64) / 2)
		n := min(size, len(t.base64)-from)
		o.b = append(o.b, t.base64[from:from+n]...)
		size -= n
	}
	o.b = append(o.b, '=', '"')
	return o
}

// time adds a timestamp, given in milliseconds since the epoch.
func (o *out) time(ms int64) *out {
	o.b = append(o.b, '"')
	o.b = time.UnixMilli(o.tempo.at(ms)).UTC().AppendFormat(o.b, "2006-01-02T15:04:05.000Z")
	o.b = append(o.b, '"')
	return o
}

// A span is a part of what was written, to be written again.
type span struct{ from, to int }

func (o *out) again(s span) *out {
	o.b = append(o.b, o.b[s.from:s.to]...)
	return o
}
