// Package torture runs the real ccwatchd while everything that can go wrong
// does, and holds what it shows against what was written.
//
// Three parts play together:
//
//   - The writer generates sessions (see package corpus), whose totals are thereby
//     known, and plays them into the watched tree as many processes of Claude
//     Code at once would: many files in turn, line by line, or a line in several
//     writes, forks before or after what they are forked from, and some files
//     written by two processes.
//   - The tormentor truncates, replaces, moves, copies, clones, saves, hides and deletes
//     files and directories, drops what came before a compaction, removes all and brings
//     it back, sets times back, makes the
//     kernel lose notifications, reloads good and bad configurations, and stops,
//     ends and kills the daemon, also while it starts and while it saves.
//   - The judge scrapes all the time. No counter may ever fall or vanish, be it
//     over a kill, a series must begin at zero, nothing that lay there at a start
//     may be missing once the daemon says that it is ready, a new session must be
//     shown within a minute, nothing may leak, and the log may tell nothing of a
//     conversation. In the end all totals must be the true ones, to the unit.
//
// What is done follows from the seed alone: writer and tormentor are one sequence
// of steps, one after the other, and the same seed gives the same sequence. How far it
// comes, and what the daemon is doing at the moment of a step, is up to the
// machine.
//
// # What is left out, because it loses something
//
//   - Files are only deleted when the daemon is known to have read them.
//   - Two processes take turns in one file only between complete messages, since
//     one that is overtaken is counted as it stands, and an estimate of a gateway
//     may be too high then.
//   - While sessions are written nothing counts as quiet. What waits for that is
//     counted at the end.
//   - A clone with new uuids leaves out API errors and retries, which are counted by
//     their uuid alone.
//   - A sub-agent whose file is saved as agent-x.jsonl.new.jsonl and then renamed may count
//     once more, if the daemon saw it under that name. No other total has an allowance.
//   - Only what the daemon is known to have read is dropped from a file, and it is there
//     again in the end.
//   - Two files with lines of one session are not written as one: equal operations on the
//     queue that follow each other are several.
//   - The small sessions by which the judge knows that the daemon has read
//     everything when it says that it is ready stay where they are.
package torture
