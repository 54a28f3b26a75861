// Package torture runs the real ccwatchd under all kinds of faults, and compares its
// counters with the true totals.
//
// It has four parts:
//
//   - The writer generates sessions (see package corpus), keeps a copy of them that no
//     fault touches, and writes them into the watched tree like many processes of
//     Claude Code: many files in turn, line by line or a line in several writes, forks
//     before or after their originals, and some files written by two processes.
//   - The nemesis truncates, replaces, moves, copies, clones, saves, hides and deletes
//     files and directories, drops lines before a compaction, removes and recreates all
//     files, changes modification times, overflows the kernel's event queue, reloads
//     valid and invalid configurations, and stops, ends and kills the daemon, also
//     while it starts and while it saves.
//   - The abuser is another user of the daemon, with another source: a flood of
//     directories, models and projects, sessions and sub-agents with the session ids
//     and paths of the writer's, with totals of these sessions, copies of files that
//     the daemon has read, files with ever new ids renamed over each other, and
//     directories without permission. The keys of the abuser are forgotten.
//   - The checker scrapes continuously. No counter may fall or vanish, even across a
//     SIGKILL; a series must begin at zero, except in the first scrape after a start; a
//     daemon that reports readiness must have read all files that existed at its start;
//     a new session must be counted within a minute; nothing may leak; the log must not
//     contain conversation data. In the end all totals must be exact, the history of
//     each series must add up to its value, and on every day it must equal the history
//     of a daemon that has only read the files. Totals and history are the writer's,
//     and the true ones are read without the abuser's source.
//
// The seed determines the sequence of steps of writer and nemesis, and of the abuser,
// who does not change the steps of the others. How many steps fit into the duration,
// and the state of the daemon at each step, depend on the machine.
//
// # Limits
//
// Some cases are left out, because ccwatchd documents that they lose or repeat counts:
//
//   - Files are deleted only after the daemon has read them.
//   - Two processes alternate in one file only between complete messages: an
//     interrupted message is counted as it is, and a gateway's estimate may be too high
//     then.
//   - While sessions are written, nothing times out. Messages that wait for a timeout
//     are counted at the end.
//   - A clone with new uuids omits API errors and retries, which are counted by uuid
//     only.
//   - A file with constant ids is neither cloned with new uuids nor shortened: the
//     uuids of the lines before distinguish its messages.
//   - A sub-agent whose file is saved as agent-x.jsonl.new.jsonl and then renamed may
//     count twice if the daemon saw it under that name. No other total has an
//     allowance, except for turns.
//   - Turns are compared by their number alone: at least as many as in ccwatchd once,
//     and at most one for each prompt. A turn counts with the content of the copy that
//     ends first, and while lines are dropped from a file, a queued prompt can begin a
//     turn.
//   - Runs of sub-agents are compared with the number of sub-agents alone: their ends
//     and durations depend on the copy that is quiet first. Their types are not
//     compared: a copy in another directory has no description.
//   - The days of sessions, turns and seen tokens are not compared: they depend on the
//     file that was read first.
//   - Lines are dropped from a file only after the daemon has read them, and are
//     restored in the end.
//   - Two files with lines of one session are not merged: consecutive equal queue
//     operations count as several.
//   - The abuser copies only what the daemon has read, and with numbers that are not
//     higher: a message that is read first in another source belongs there, and a copy
//     with higher numbers corrects it, as SECURITY.md says.
//   - The families of the daemon itself are about all sources, and are not compared.
//   - The probes, small sessions that show whether the daemon has read everything, are
//     not modified.
package torture
