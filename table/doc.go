// Package table keeps rows in tables that record their changes, and encodes them.
//
// A [Set] is the tables of a state. A [Table] is a map from a key to a row, an
// [Interner] a list of different values. Rows are values: only Put and Delete change a
// row, and no pointer leaves a table, so no change can be missed. Declaring a table is
// all that persistence needs. Tables with a [Hash] as key take less memory than a map
// of Go.
//
// While a set records, CodeChanges writes the changes since the last Commit, and
// applies them to a set that another process has restored. Code writes all rows of all
// tables, for a snapshot, in the same encoding.
//
// # Coding a row
//
// One function describes both directions: it visits the fields of a row with a [Coder],
// which either writes or sets them, so encoder and decoder cannot diverge.
//
//		func codePoint(c *table.Coder, p *point) {
//			table.Int(c, 1, &p.x)
//			table.String(c, 2, &p.name)
//		}
//
//	  - Fields are visited in ascending order of their numbers. The number of a field is
//	    never reused, and its type never changes.
//	  - A field that is zero, empty or nil is not written. A missing field is set to
//	    zero.
//	  - A table or a field that this version does not know, because a newer version wrote
//	    it, is an error: [ErrUnsupported]. Ignoring it could make the counters wrong.
//	  - Every row has exactly one encoding. A reader rejects any other: repeated fields,
//	    fields out of order, explicit zeros, and integers that are out of range or not in
//	    their shortest form.
//	  - A reader accepts any input without panicking and reports errors through Err. It
//	    allocates at most a fixed multiple of the size of the input, see [NewReader].
//	  - A writer does not change its values, so several writers may visit the same
//	    value concurrently.
//
// # Encoding
//
// A row is a message in the protobuf wire format. A snapshot is a message, too, with
// one field for each table, and so is the content of a frame of the journal. Integers
// are varints, low bits first:
//
//	 table                        entries, in the order of the bytes of their keys
//	┌───────────────┬────────────┬─────────┬─────────┬───
//	│ number<<3 | 2 │ size       │ entry   │ entry   │ …
//	└───────────────┴────────────┴─────────┴─────────┴───
//
//	 an entry: a row that is new or changed          a removed row
//	┌──────────────┬───────────┬─────────────┐      ┌───┬───────────┐
//	│ size<<1      │ key       │ patch       │      │ 1 │ key       │
//	└──────────────┴───────────┴─────────────┘      └───┴───────────┘
//	  size of the patch in bytes
//
//	 a patch, from the row's last written encoding to its new encoding
//	┌───┬──────┬────────────────────────────┬───────────────┬───────────────┬───
//	│ 2 │ size │ numbers of removed fields  │ changed field │ changed field │ …
//	└───┴──────┴────────────────────────────┴───────────────┴───────────────┴───
//	  only if a field was removed             in ascending order; all of the row if new
//
//	 an interner                  its new values in order
//	┌───────────────┬────────────┬──────┬─────────┬──────┬─────────┬───
//	│ number<<3 | 2 │ size       │ size │ message │ size │ message │ …
//	└───────────────┴────────────┴──────┴─────────┴──────┴─────────┴───
//
// A key is encoded by its [Key]: a varint, the eight bytes of a hash with the high bits
// first, a text with its length first, or a pair of them. Tests in entries_test.go have
// an example of each.
package table
