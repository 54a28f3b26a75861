// Package codec encodes plain data in the protobuf wire format. One function describes
// both directions: it visits the fields of a value with a Coder, which either writes or
// sets them, so encoder and decoder cannot diverge.
//
//	func codePoint(c *codec.Coder, p *point) {
//		codec.Int(c, 1, &p.x)
//		codec.String(c, 2, &p.name)
//	}
//
// Fields are visited in ascending order of their numbers.
//
//   - A field that is zero, empty or nil is not written. A missing field is set to
//     zero.
//   - The number of a field is never reused, and its type never changes.
//   - A field that the function does not visit, because a newer version wrote it, is an
//     error: ErrUnsupported. Without it, the message would mean something else.
//
// Every value has exactly one encoding. A reader rejects any other: repeated fields,
// fields out of order, explicit zeros, and integers that are out of range or not in
// their shortest form. The bytes that a reader accepts are therefore those that a
// writer writes for the value.
//
// A reader accepts any input without panicking and reports errors through Err. It
// allocates at most a fixed multiple of the size of the input, see NewReader.
//
// A writer does not change the values that it visits, so several writers may visit the
// same value concurrently.
//
// AppendPatch writes the difference between two encodings of a message, and Patch
// applies it.
package codec
