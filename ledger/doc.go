// Package ledger holds what has been counted.
//
// It is a deterministic fold: the same steps (Open, Read, Settle, Quiet,
// Configure, Release) in the same order give the same ledger, label by label.
// Nothing in it looks at a clock, a file or a map's order to decide anything.
//
// Every thing is counted once, by a key of its own, whatever the number of
// lines and files that repeat it. A message of the API is written in several
// lines of which only the last may tell its true size, so a message is held
// back until it is settled:
//
//   - a record with a stop reason settles it;
//   - so does another message, or a prompt, in the same file (Settle);
//   - so does quiet: nothing more came for a while (Quiet).
//
// All numbers of a message come from one record: one with a stop reason
// before one without, then the one with more output, then the later. Once a
// message is counted, a better record adds what it has more of, so a counter
// never goes down.
//
// What is remembered has to be for as long as some file could repeat it, so a
// ledger is laid out for a million keys and ten thousand files: labels that go
// together are numbered once, keys that are done with are packed into a few
// bytes each, and hardly anything has a pointer in it. How it is laid out
// follows from the steps as well, so the same ledger also has the same bytes
// when it is saved.
//
// A ledger is not safe for use by several goroutines at once; its owner locks.
package ledger
