// Package ledger counts the entries of transcripts, each once.
//
// # Prepare, then count
//
// A line is prepared before it is counted. The preparers set everything that depends on
// earlier lines, on other files or on the limits of labels: times, project, agent, the
// keys of messages and tool calls, whether it is a copy, and so on, see line. Then
// every part counts it. Parts change neither the entry nor the line. New lists the
// preparers and the parts, and states beside them what they need from earlier ones.
//
// A part counts one kind of thing: messages, tool calls, turns, prompts and so on. It
// declares its families where it makes them grow, and owns its tables: no other part
// changes them. Parts that hold something back also see that a file pauses, is quiet,
// is read again or is forgotten. The counters, the limited labels, the files and the
// dedup keys are shared by all parts, in core.
//
// Events that transcripts state and that have a key of their own, such as a commit,
// are facts: an entry in newFacts is all that a new kind needs.
//
// # State
//
// Everything that is remembered is a row of a table or a series of the counters;
// reindex rebuilds all other fields after they were read. A frame holds the rows that
// changed and the additions to counters since the last Commit. Restoring applies frames
// and counts nothing again.
//
// The same calls in the same order give the same ledger, label by label, and equal
// ledgers are saved as equal bytes. No decision depends on a clock, a file or the
// iteration order of a map.
//
// # Messages
//
// Everything is counted once, by its own key, whatever the number of lines and files
// that repeat it. An API message is written in several lines. Only the last line may
// state its true size, so a message is held until it is settled:
//
//   - by a record with a stop reason;
//   - by another message, or a prompt, in the same file;
//   - by a quiet period: nothing more was written for a while (FinalizeFile).
//
// Settle counts the messages of the first two kinds. A catch-up settles once at its
// end, so until then a better record of any file can replace an earlier one.
//
// All numbers of a message come from one record: one with a stop reason is preferred to
// one without, then the one with more output, then the later. Once a message is
// counted, a better record adds the difference, so a counter never falls.
//
// # Memory
//
// Dedup keys must be remembered for as long as some file could repeat them, so a ledger
// is designed for a million keys and ten thousand files. A counted message takes about
// 55 bytes, and 30 more without a price, a tool call 37, a line with a short id 31, any
// other dedup key 20. Combinations of labels are interned, the rows of such tables are
// in compact maps, and there are hardly any pointers. TestMemory enforces limits.
//
// A ledger is not safe for concurrent use; its owner locks.
package ledger
