// Package codec encodes plain data in the protobuf wire format with one
// description for both directions: a function that visits the fields of a value
// with a Coder writes them when the Coder writes and sets them when it reads, so
// the two cannot drift apart.
//
//	func codePoint(c *codec.Coder, p *point) {
//		c.Unknown(&p.unknown)
//		codec.Int(c, 1, &p.x)
//		codec.String(c, 2, &p.name)
//	}
//
// Every field has a number, which a description visits in ascending order.
//
//   - A field that is zero, empty or nil is not written, and one that is missing
//     is set to zero when read.
//   - The number of a field is never used for anything else, and its type never
//     changes.
//   - A field that the description does not visit, written by another version of
//     it, is unknown. Unknown keeps the unknown fields of a message, and writes them
//     back in the order of their numbers. Without Unknown they are ignored; after
//     Closed they are an error.
//
// Every value has exactly one encoding. A reader refuses any other: fields that are
// repeated or not in order, explicit zeros, numbers in more bytes than they need or
// out of range, maps whose keys do not ascend. So the bytes that a reader accepts
// are those that a writer writes for what was read, unknown fields included.
//
// A reader takes any input. It ends in Err, never in a panic, and allocates at most
// a fixed multiple of the size of the input (see NewReader).
//
// A Coder that writes does not change the values that it visits, so several may
// write the same value at once.
package codec
