// Package follow reads transcripts into a state: it identifies
// the file of a name, reads the lines that are new in it, and applies what they say.
//
// # Model
//
// A Follower is used by one goroutine. It gets names from a watcher: of files that may
// have changed, and of all files after each walk. For each of them it opens the file,
// identifies it by device, inode and checksums, reads from the stored offset to the
// present end, and closes it. Complete lines are decoded into batches; each batch is one
// step of the state, together with the offset behind it. Between two calls nothing is
// open. Only files that are active are remembered: those with a pending message or an
// unterminated last line.
//
// While many files are read in order, prefetchers read ahead in goroutines of their own.
// They only guess what the follower will read. It identifies each file itself, takes
// their batches where they fit, and reads the rest.
//
// # Guarantees
//
//   - Every line is applied once, and lines of a file in their order. A file that was
//     renamed is not read again; one that was truncated or replaced is read from its
//     beginning, which is harmless because everything is counted by its own key.
//   - The steps do not depend on the number of prefetchers, or on whether there are any.
//   - A file that cannot be read is tried again by every walk, logged once, and not taken
//     for a missing one.
//   - A line without an end does not keep other files waiting, however large its file is.
//   - No log entry above debug level has a path below the watched directories.
package follow
