// Package checkpoint stores the state of a daemon in a directory, so that after a
// crash exactly the same state is restored.
//
// The state is a fold over steps. The directory holds a snapshot of the fold and a
// journal of the steps since: a step is appended to the journal before its effect
// becomes visible, and a snapshot is written now and then to keep the journal short.
// Load restores the snapshot and repeats the steps of the journal in order. The
// journal holds the steps themselves, not references to their source, so nothing else
// is needed: the files that were read may have been deleted, truncated or rewritten.
//
// The guarantees:
//
//   - A step that Append accepted survives the death of the process; after Sync it
//     survives the death of the machine.
//   - A snapshot replaces its predecessor as a whole or not at all.
//   - Damaged files are set aside under another name and reported. They are never
//     deleted, and never used.
//   - If any part of the state requires a newer version than this one,
//     nothing in the directory is changed, even if another part is damaged.
//   - A directory belongs to one process at a time, and to its user alone
//     (mode 0700, files 0600).
//   - Check detects that files of a running process were removed, moved or replaced,
//     and Retake writes them again.
//   - A version reads what any version since format 7 wrote, if the writer says that it
//     can. Otherwise Load fails and nothing is changed. It never appends to a journal of
//     another version.
//
// The directory holds "lock", "pid", "state" (the snapshot) and "journal-N"; N counts
// up with every snapshot, and a snapshot names the first journal that is not in it. A
// journal names the one that it follows and its length, if that held every step before
// it, so steps are never repeated across a gap.
//
// Every file begins with its magic and a header, see state.proto, which describes all
// messages, those of the owner of the state included. docs/state.md has the rules by
// which they may change.
package checkpoint
