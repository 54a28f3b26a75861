// Package corpus makes up session files of Claude Code, of any amount, and
// knows what is in them.
//
// [Generate] writes a tree as it is below ~/.claude and returns its [Truth]: the
// totals by the rules of docs/counting.md. They are entered in the books when
// a thing is written for the first time, by code that does not know how
// ccwatchd reads, so the two can be held against each other. The same options
// give the same files, byte for byte. [Sample] gives the lines of one session to
// whoever wants no files, and an [Author] those of one after another, for whoever
// wants to see them grow.
//
// Everything is calibrated on what was measured on 4,179 genuine session files
// of 135 versions of Claude Code up to 2.1.232 (1.6 GB, 591,191 lines). The last era,
// 2.1.240 to 2.1.327, adds what changelogs and others report of those versions. The
// measurements:
//
//   - Lines: half are longer than 1,016 bytes, 10 % than 4,685, 1 % than 34,630,
//     0.1 % than 97,798, and now and then one has megabytes. 51 % of all bytes are
//     results of tools, which mostly stand twice in their line; 23 % are the
//     model's, 8 % repeat the messages of sub-agents as progress.
//   - Files: half are larger than 120 kB, 10 % than 1.1 MB, 1 % than 3.6 MB. Half are
//     those of sub-agents.
//   - Text: a quote in 22 bytes and a backslash in 45, so that parsers meet
//     real work.
//   - Time: each version writes as it did, in its own time (see eras), and is
//     as common as it was found.
//
// A [session] is a script of turns; what is rare is an [episode] between two of
// them. Ten sessions, one of each era, play every episode once, so even the
// smallest corpus has them all:
//
//   - every way to write one response as several lines: tiny counts that are
//     never put right, counts that are right in the last line or in all,
//     gateways that begin with nothing or with an estimate that is too high;
//   - copies: what compactions, suggestions and side questions repeat (now and
//     then with a better number than the original), forks with new ids and with
//     old ones, conversations written a second time into their own file;
//   - sub-agents of every kind and layout, inline ones too;
//   - calls together in one line, results before their calls, calls and results
//     without the other, tools of the server, failures and API errors of every
//     reason, retries, interruptions, advisors;
//   - prompts of every kind, local commands in both of their forms, and all that looks
//     like one;
//   - operations on the queue, also several of one kind within a millisecond;
//   - cost-state lines, which grow, begin again, or hold values that make no sense;
//   - files that were copied or cloned with new uuids, that go on in the background, or
//     that lost what came before a compaction;
//   - entries, keys and values that no version has;
//   - lines that are glued, torn, cut off, full of zeros or not finished, files
//     that are empty, and files that must not be read.
//
// What depends on the order of reading is not in it: the totals are the same
// whatever is read first. Nothing is genuine: no text, name or id comes from
// anybody's session.
package corpus
