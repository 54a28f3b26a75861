// Package state holds the ledger of everything counted and, for every transcript, how
// far it has been read. Both change together, in steps.
//
// # Model
//
// The state is a fold over steps. A step is plain data: a batch of entries and the
// offset after them, a renamed file, a missing file. The same steps in the same order
// always give the same state. Each method of State that changes counters applies one
// step under the lock that every reader takes, so a reader sees a file's entries and
// its offset either both or not at all.
//
// After SetJournal, a step is appended to the journal before it is applied. Encode
// returns a snapshot of the fold; LoadSnapshot and Replay restore the fold from a
// snapshot and the later steps.
//
// # Guarantees
//
//   - A step is in the journal before a reader can see its effect. After a crash,
//     the snapshot and the journal restore exactly the state that was visible.
//   - While the journal cannot be written, steps are still applied, but readers get
//     the counters from before the failure. The counters resume once a snapshot that
//     includes every step has been written.
//   - Numbers of fields and of kinds of steps never change their meaning. Unknown
//     fields of a snapshot are preserved; an unknown step is refused unless it is
//     marked as ignorable.
//   - Neither the state nor its encoding contains a path, a session id or text of a
//     conversation: files are identified by a digest of their path.
//
// Flags that only this process needs, such as whether a file has been seen since
// the start, are part of the file table but never encoded.
package state
