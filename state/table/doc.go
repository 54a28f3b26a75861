// Package table keeps rows in tables that record what changes.
//
// A [Set] is the tables of a state. A [Table] is a map from a key to a row, an
// [Interner] a list of different values. Rows are values: only Put and Delete change a
// row, and no pointer leaves a table, so no change can be missed. Declaring a table is
// all that persistence needs.
//
// While a set records, CodeChanges writes what has changed since the last Commit, and
// applies it to a set that another process has restored. What a table writes to
// a snapshot is the same, for all of its rows.
//
// # Encoding
//
// A snapshot, or a frame of changes, is a message with one field for each table, whose
// number is that of the table. The field has an entry for each row, in the order of the
// bytes of their keys:
//
//   - a varint: the size of the third part in bytes, doubled, or 1 if the row was
//     removed;
//   - the key;
//   - unless the row was removed, a patch of what the row was, see [codec.AppendPatch].
//
// The field of an interner has the new values in order, each with its size first.
//
// A table that this version does not know is refused, and so is a field of a row:
// without it, the counters could be wrong. A field that is missing is zero.
package table
