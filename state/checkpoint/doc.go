// Package checkpoint stores the state of a daemon in a directory and restores exactly
// that state after a crash.
//
// The state is a fold over steps. The directory contains a snapshot of the fold and a
// journal of the steps since then. A step is appended to the journal before its effect
// becomes visible; a snapshot is written from time to time to keep the journal short.
// Load restores the snapshot and replays the journal in order. The journal contains the
// steps themselves, not references to their source, so replaying needs no other file:
// the transcripts may have been deleted, truncated or rewritten.
//
// Guarantees:
//
//   - A step accepted by Append survives the death of the process; after Sync it
//     survives the death of the machine.
//   - A snapshot replaces its predecessor atomically.
//   - Damaged files are quarantined: renamed and reported, never deleted, never used.
//   - If any part of the state requires a newer version than this one, nothing in the
//     directory is changed, even if another part is damaged.
//   - A directory belongs to one process at a time, and only its user can read it
//     (mode 0700, files 0600).
//   - Check detects that files of a running process were removed, moved or replaced;
//     Reacquire and a new snapshot repair that.
//   - A version reads what any version since format 7 wrote, if the writer declared it
//     readable. Otherwise Load fails and nothing is changed. A version never appends to
//     a journal written by another version.
//
// The directory contains "lock", "pid", "state" (the snapshot), "journal-N" and, beside
// the state, "endpoints.json". N increases with every snapshot; a snapshot names the
// first journal that it does not include. A journal names its predecessor and the
// predecessor's length if every earlier step is in it, so steps are never replayed
// across a gap.
//
// Every file starts with a magic string and a header. state.proto describes all
// messages, including those of the owner of the state. docs/state.md has the rules by
// which they may change.
package checkpoint
