// Package corpus generates session files of Claude Code.
//
// [Generate] writes a tree like ~/.claude. [Writer] returns the lines of one session
// after another, with the time at which each is to be written. The same arguments give
// the same bytes.
//
// What each version of Claude Code writes is described in format.yaml: eras, tools,
// prompts, entries, failures, and the distributions of sizes and times. The code writes
// sessions from it. A session is a sequence of turns, with rare episodes between them.
// Eleven sessions, one of each era, play every episode once, so that the smallest
// corpus contains everything:
//
//   - every way to write one response as several entries: placeholders that are never
//     corrected, counts that are right in the last entry or in all, gateways that begin
//     with zero or with an estimate that is too high;
//   - copies of the conversation for compactions, suggestions and side questions (now
//     and then with a better count than the original), forks with new uuids and with
//     old ones, conversations written again to their own file, duplicates and clones of
//     files;
//   - sub-agents of every kind and layout, including inline ones;
//   - several calls in one entry, results before their calls, calls and results without
//     the other, server tools, failures and API errors of every class, retries,
//     interruptions, advisors, compaction on the server, fast mode, inference in the
//     US;
//   - responses of gateways whose ids are constant, or that have none and only name
//     their request, and responses that break off;
//   - sub-agents in the background, whose notification begins a turn;
//   - forks by --fork-session, whose costs begin with the totals of their parent;
//   - prompts of every kind, local commands in both forms, and entries that look like
//     one;
//   - queue operations, including several within a millisecond;
//   - cost-state lines that grow, restart, or hold invalid values;
//   - sessions that continue in the background, and files without what came before a
//     compaction, or that begin in another directory than that of the session;
//   - entries, keys and values that no version has;
//   - lines that are glued, torn, cut off, full of zero bytes or unfinished, empty
//     files, and files that must not be read.
//
// The totals do not depend on the order in which files are read.
//
// Sizes and frequencies are calibrated on 4,179 genuine session files of 135 versions
// up to 2.1.232 (1.6 GB, 591,191 lines); the last eras, 2.1.240 to 2.1.332, on runs of
// these versions against a scripted API. The measurements:
//
//   - Lines: p50 1,016 bytes, p90 4,685, p99 34,630, p99.9 97,798; some have megabytes.
//     Tool results, which are mostly in their line twice, are 51 % of all bytes, the
//     model's output is 23 %, and messages of sub-agents repeated as progress are 8 %.
//   - Files: p50 120 kB, p90 1.1 MB, p99 3.6 MB. Half of them belong to sub-agents.
//   - A session of one request has 255 kB in 2.1.332, and 5.7 kB for each further
//     request with a Bash call: the log of requests, attachments and prompts are 97 %
//     of a short session.
//   - Text: one quote per 22 bytes and one backslash per 45, so that parsers do real
//     work.
//
// Nothing is genuine: no text, name or id comes from a real session.
package corpus
