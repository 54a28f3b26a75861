// Package checkpoint keeps a daemon's state in a directory, so that after a
// crash exactly the same state comes out.
//
// The state is a fold over steps. What is kept is a snapshot of the fold and a
// journal of the steps since: a step is appended to the journal before its
// effect can be seen by anybody, and a snapshot is written now and then to
// keep the journal short. Loading takes the snapshot and repeats the steps of
// the journal in their order. Since the journal holds the steps themselves and
// not references to where they came from, nothing else needs to be there: the
// files that were read may have been deleted, truncated or rewritten.
//
// The guarantees:
//
//   - A step that Append took survives the death of the process; after Sync it
//     survives the death of the machine.
//   - A snapshot replaces its predecessor as a whole or not at all.
//   - What is damaged is set aside under another name and told, never deleted
//     and never taken for good.
//   - If any part of the state is from a newer version, nothing in the directory is
//     changed, even if another part is damaged.
//   - A directory belongs to one process at a time, and to its user alone
//     (mode 0700, files 0600).
//   - Whoever removes, moves or replaces what a running process has written is
//     found out by Check, and Retake makes good for it.
//
// The directory holds "lock", "pid", "state" (the snapshot) and "journal-N"; N
// counts up with every snapshot, and a snapshot names the first journal that is
// not in it. A journal names the one that it follows and its length, if that
// held every step before it, so steps are never repeated across a gap.
package checkpoint
