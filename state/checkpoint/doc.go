// Package checkpoint stores the state of a daemon in a directory and restores exactly
// that state after a crash.
//
// The directory contains a snapshot of the state and a journal of the frames since
// then. A frame holds one change; its content belongs to the owner of the state. A
// frame is appended to the journal before its effect becomes visible; a snapshot is
// written from time to time to keep the journal short. Load restores the snapshot and
// replays the journal in order. A frame contains the change itself, not a reference to
// its source, so replaying needs no other file: the transcripts may have been deleted,
// truncated or rewritten.
//
// Guarantees:
//
//   - A frame accepted by Append survives the death of the process; after Sync it
//     survives the death of the machine.
//   - A snapshot replaces its predecessor atomically.
//   - Damaged files are quarantined: renamed and reported, never deleted, never used.
//   - If any part of the state has a newer format, or contains anything that this
//     version does not know, nothing in the directory is changed, even if another part
//     is damaged.
//   - A state of an older format is loaded: the owner gets the format of each file. A
//     version never appends to a journal of another format. If the owner cannot decode
//     an older format, the state is refused like that of a newer format.
//   - A directory belongs to one process at a time, and only its user can read it
//     (mode 0700, files 0600).
//   - Check detects that files of a running process were removed, moved or replaced;
//     Reacquire and a new snapshot repair that.
//
// The directory contains "lock", "pid", "state" (the snapshot), "journal-N" and, beside
// the state, "endpoints.json", "limits.json" and, while the process serves,
// "address.json". N increases with every snapshot; a
// snapshot names the first journal that it does not include. A journal names its
// predecessor and the predecessor's length if every earlier frame is in it, so frames
// are never replayed across a gap.
//
// All numbers are little-endian, and checksums are CRC-32C:
//
//	 a snapshot
//	┌───────┬────────┬─────┬───────────────┬────────────┬─────┐
//	│ magic │ format │ CRC │ header, as a  │ the state  │ CRC │  of all bytes before
//	│ 15 B  │ 4 B    │ 4 B │ frame         │            │ 4 B │
//	└───────┴────────┴─────┴───────────────┴────────────┴─────┘
//	                    of magic and format
//	 a journal
//	┌───────┬────────┬─────┬───────────────┬────────────┬────────────┬───
//	│ magic │ format │ CRC │ header, as a  │ frame      │ frame      │ …
//	│ 15 B  │ 4 B    │ 4 B │ frame         │            │            │
//	└───────┴────────┴─────┴───────────────┴────────────┴────────────┴───
//	 a frame
//	┌────────┬────────────┬─────────────────────┬─────────┐
//	│ length │ CRC        │ CRC                 │ content │
//	│ 4 B    │ 4 B        │ 4 B                 │         │
//	└────────┴────────────┴─────────────────────┴─────────┘
//	 of the content        of length and first CRC
//
// The magic is "ccwatchd tables" for a snapshot and "ccwatchd frames" for a journal.
// The header is a message in the encoding of package table: generation = 1, follows =
// 2, length = 3. The content of the state and of a frame belongs to their owner.
package checkpoint
