// Package follow reads transcripts into a state: it identifies the file behind a name,
// reads its new lines, and applies their entries.
//
// # Model
//
// A Follower is used by one goroutine. It gets names from a watcher: of files that may
// have changed, and of all files after each walk. For each name it opens the file,
// identifies it by device, inode and checksums, reads from the stored offset to the
// present end, and closes it. Complete lines are decoded into batches; each batch is
// one change of the state, together with the offset after it. Only active files are
// remembered: those with a pending message or an unterminated last line.
//
// While files are followed, some files are kept open for a few seconds, since most
// lines are written to files that were written just before. A kept file is used only
// while its name leads to it, and identified like any other file.
//
// While many files are read in order, prefetching goroutines read ahead. They only
// predict what the follower will read: it identifies each file itself, uses prefetched
// batches where they fit, and reads the rest.
//
// # Guarantees
//
//   - Every line is applied once, and the lines of a file in order. A renamed file is
//     not read again. A truncated or replaced file is read from its beginning, which
//     counts nothing twice because every event is counted by its own key.
//   - The frames do not depend on whether, or with how many goroutines, files are
//     prefetched.
//   - A file that cannot be read is logged once, retried by every walk, and not treated
//     as missing.
//   - An unterminated line does not delay other files, however large its file is.
//   - No log entry above debug level contains a path below the watched directories.
package follow
