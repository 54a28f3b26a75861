// Package state holds the ledger of all counts and the read offset of every transcript.
// Both change together.
//
// # Model
//
// Change changes the counters: each call is one change under the lock that every reader
// takes, so a reader sees a file's entries and its offset either both or not at all.
// The changed rows of tables and the additions to counters are one frame.
//
// After SetJournal, a frame is appended to the journal before anyone can see its
// effect. Encode returns a snapshot of everything; LoadSnapshot and Replay restore the
// state from a snapshot and the later frames. Loading counts no line again, so versions
// may interpret a line differently.
//
// # Guarantees
//
//   - A frame is in the journal before a reader can see its effect. After a crash,
//     the snapshot and the journal restore exactly the state that was visible.
//   - While the journal cannot be written, changes are still made, but readers get
//     the counters from before the failure. The counters resume once a snapshot that
//     includes every change has been written.
//   - A table, a field, a family or a label that this version does not know is refused.
//     Package table describes the encoding.
//   - Neither the state nor its encoding contains a path, a session id or text of a
//     conversation: files are identified by a digest of their path.
//
// Data that only this process needs, such as whether a file has been seen since the
// start, is beside the tables.
package state
