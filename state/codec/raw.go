package codec

import "google.golang.org/protobuf/encoding/protowire"

// Raw visits a bytes field whose content has an encoding of its own: a writer calls
// write, which appends the content, and omits the field if that is empty. A reader
// calls read with the content, which is only valid during the call, and empty if the
// field is missing.
func Raw(c *Coder, n Number, write func(b []byte) []byte, read func(b []byte) error) {
	if !c.reading {
		c.nestUnlessEmpty(n, func() { c.buf = write(c.buf) })
		return
	}
	var content []byte
	if c.at(n, protowire.BytesType) {
		if content = c.take(); len(content) == 0 {
			c.Fail()
		}
	}
	if c.err != nil {
		return
	}
	if err := read(content); err != nil {
		c.stop(err)
		return
	}
	if len(content) > 0 {
		c.advance(n + 1)
	}
}
