// Package tailer reads the lines that were appended to a file since it was last read, and tells whether it still is that file.
//
// # Model
//
// A file is opened, read from a remembered offset to the size it has now, and closed again. Between two readings nothing is kept but plain
// data: a [Cursor] (where to go on), a [Mark] (what the file looked like there) and an [ID] (which file it was). No goroutine, descriptor or
// watch outlives a call, however many files there are.
//
// One reading is
//
//	f, err := tailer.Open(root, "project/session.jsonl")
//	info, err := f.Stat()
//	verdict, err := mark.Check(f, info.Size())
//	if verdict != tailer.Unchanged {
//		cursor = tailer.Cursor{} // it was cut or exchanged: read it from the beginning
//	}
//	cursor, err = reader.Lines(f, info.Size(), cursor, take)
//	mark, err = tailer.NewMark(f, cursor.Offset)
//
// # Guarantees
//
//   - Only complete lines are delivered, each exactly once, in order, byte for byte: a line is what stands between two "\n", be it empty,
//     ended by "\r", full of NULs or no UTF-8 at all. The cursor only ever stands behind a "\n".
//   - A reading ends at the size it was given, whatever is written meanwhile: the same file, size and cursor always give the same lines.
//   - Memory is bounded by the longest line allowed. A longer one is skipped in constant memory and reported once it is complete.
//   - Time is linear in the bytes of a file, also while a very long line is written in many small pieces. Where the system tells of holes, what
//     is not on the disk takes none.
//   - A FIFO, a device, a socket, a directory or a symbolic link is never waited for and never read.
//
// # Two readers, one sequence
//
// A growth of up to [LiveGrowth] is that of a file being written; it is drained through github.com/nxadm/tail. More is catching up, which a
// block reader does many times faster and without an allocation for each line. Whenever the first cannot vouch for what it read, the second
// reads it anew. Both deliver the same lines with the same offsets. Of thousands of files read one after another most are small without being
// written, so that a [NewBulkReader] only uses the second.
//
// # Limits
//
// Offsets describe a file that is appended to. A file rewritten in place while it is being read may give lines of both versions; checking the
// old mark once more after the new one was taken tells. One that is rewritten such that its first KiB, and the 256 bytes before the offset,
// are what they were, passes for unchanged.
package tailer
