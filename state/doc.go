// Package state holds the ledger of everything counted and, for every transcript, how
// far it has been read. Both change together.
//
// # Model
//
// Change changes the counters: each call is one change under the lock that every
// reader takes, so a reader sees a file's entries and its offset either both or not at
// all. What changed, rows of tables and additions to counters, is one frame.
//
// After SetJournal, a frame is appended to the journal before anyone can see its
// effect. Encode returns a snapshot of everything; LoadSnapshot and Replay restore the
// state from a snapshot and the later frames. Nothing is counted again at load, so what
// a line means may differ between versions.
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
// What only this process needs, such as whether a file has been seen since the start,
// is beside the tables.
package state
