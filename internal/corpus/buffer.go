package corpus

import (
	"strconv"
	"time"
)

// A buffer holds JSON that is being written. Most methods return it for chaining.
type buffer struct{ b []byte }

// raw appends JSON.
func (o *buffer) raw(json string) *buffer {
	o.b = append(o.b, json...)
	return o
}

// comma separates the element i of a list from the one before it.
func (o *buffer) comma(i int) {
	if i > 0 {
		o.b = append(o.b, ',')
	}
}

func (o *buffer) num(n int) *buffer {
	o.b = strconv.AppendInt(o.b, int64(n), 10)
	return o
}

// float appends a number as JavaScript writes those that are neither tiny nor huge.
func (o *buffer) float(v float64) *buffer {
	o.b = strconv.AppendFloat(o.b, v, 'f', -1, 64)
	return o
}

// quote appends a string that needs no escapes.
func (o *buffer) quote(s string) *buffer {
	o.b = append(append(append(o.b, '"'), s...), '"')
	return o
}

// time appends a timestamp in milliseconds since the epoch, without quotes.
func (o *buffer) time(ms int64) {
	o.b = time.UnixMilli(ms).UTC().AppendFormat(o.b, "2006-01-02T15:04:05.000Z")
}

// A span is a part of a buffer.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// again repeats a part.
func (o *buffer) again(s span) *buffer {
	o.b = append(o.b, o.b[s.from:s.to]...)
	return o
}
