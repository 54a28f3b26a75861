// Package state holds what a daemon knows: the ledger of what has been counted,
// and for every file how much of it has been read. Both change together, in steps.
//
// # Model
//
// The state is a fold over steps. A step is plain data: a batch of entries and the
// offset behind them, a file that was renamed, a file that disappeared. Steps
// applied in the same order give the same state. Each method of State that changes
// what is counted applies one step under the lock that every reader takes, so a
// reader sees a file's entries and its offset either both or not at all.
//
// Once SetJournal was called, a step is appended to the journal before it is
// applied. Encode returns a snapshot of the fold; LoadSnapshot and Replay restore
// the fold from the snapshot and the steps after it.
//
// # Guarantees
//
//   - A step is in the journal before a reader can see its effect. After a crash,
//     the snapshot and the journal restore exactly the state that was visible.
//   - While the journal cannot be written, steps are still applied, but readers get
//     the counters as they were before the failure. The counters resume once a
//     snapshot that holds every step has been written.
//   - The encoding is described by state.proto of package checkpoint. Numbers of
//     fields and of kinds of steps never change their meaning. Unknown fields of a
//     snapshot are preserved; an unknown step is refused, unless it says that it
//     may be skipped.
//   - Neither the state nor its encoding contains a path, a session id or text of a
//     conversation: files are known by a digest of their path.
//
// Flags that only this process needs, such as whether a file has been seen since
// the start, are part of the file table but never encoded.
package state
