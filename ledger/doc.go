// Package ledger counts the entries of transcripts, each once.
//
// It is a deterministic fold: the same steps (Open, AddBatch, Reset, Settle,
// FinalizeFile, MarkMissing, Forget, Configure, Release) in the same order give the
// same ledger, label by label. No decision depends on a clock, a file or the iteration
// order of a map.
//
// Everything is counted once, by its own key, whatever the number of lines and files
// that repeat it. An API message is written in several lines, of which only the last
// may state its true size, so a message is held until it is settled:
//
//   - by a record with a stop reason;
//   - by another message, or a prompt, in the same file (Settle);
//   - by a quiet period: nothing more was written for a while (FinalizeFile).
//
// All numbers of a message come from one record: one with a stop reason is preferred to
// one without, then the one with more output, then the later. Once a message is
// counted, a better record adds the difference, so a counter never falls.
//
// Dedup keys must be remembered for as long as some file could repeat them, so a ledger
// is designed for a million keys and ten thousand files: combinations of labels are
// interned, settled keys are packed into a few bytes each, and there are hardly any
// pointers. This layout follows from the steps too, so equal ledgers are saved as equal
// bytes.
//
// A ledger is not safe for concurrent use; its owner locks.
package ledger
