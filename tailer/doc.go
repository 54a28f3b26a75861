// Package tailer reads the lines appended to a file since the last read, and detects
// whether it is still the same file.
//
// # Model
//
// A file is opened, read from a remembered offset to its current size, and closed
// again. Between two reads only plain data is kept: a [Cursor] (where to continue), a
// [Fingerprint] (the content before that offset) and an [ID] (the identity of the
// file). No goroutine, descriptor or watch outlives a call, regardless of the number of
// files.
//
// One read is
//
//	f, info, err := tailer.Open(root, "project/session.jsonl")
//	verdict, err := fingerprint.Check(f, info.Size())
//	if verdict != tailer.Unchanged {
//		cursor = tailer.Cursor{} // truncated or replaced: read from the beginning
//	}
//	cursor, err = reader.Lines(f, info.Size(), cursor, handle)
//	fingerprint, err = tailer.NewFingerprint(f, cursor.Offset)
//
// # Guarantees
//
//   - Only complete lines are delivered, each exactly once, in order, byte for byte. A
//     line is the text between two "\n": it may be empty, end with "\r", consist of
//     NULs or be invalid UTF-8. The offset of a cursor always follows a "\n".
//   - A read ends at the given size, regardless of concurrent writes: the same file,
//     size and cursor always give the same lines.
//   - Memory is bounded by the maximum length of a line. A longer line is skipped in
//     constant memory and reported once it is complete.
//   - Time is linear in the size of a file, even if a very long line is written in many
//     small pieces. Holes of sparse files take no time if the system reports them, and
//     the search for the end of a line that is too long is limited in each call.
//   - A FIFO, device, socket, directory or symbolic link is never read and never
//     blocks.
//
// # Two readers, one result
//
// Growth of up to [LiveGrowth] is treated as live writing and read through
// github.com/nxadm/tail. Larger growth means catching up: then a block reader is many
// times faster and does not allocate for each line. If nxadm/tail cannot guarantee its
// result, the block reader reads the same bytes again. Both deliver the same lines with
// the same offsets. Of thousands of files read in sequence, most are small but not
// being written, so a reader made by [NewBulkReader] uses only the block reader.
//
// # Limits
//
// Offsets assume that files are only appended to. A file rewritten in place during a
// read may give lines of both versions; checking the old fingerprint after the read
// detects that. A file rewritten with the same first KiB and the same 256 bytes before
// the offset counts as unchanged.
package tailer
