// Package cost is an independent reference for the cost metrics of ccwatchd.
//
// It reads a tree of transcripts at rest, keeps the best record of every message, and
// prices it with rational numbers. It implements docs/counting.md from the text alone
// and imports no package of the program, so that a mistake in one of the two is not
// in the other. Speed and memory do not matter here.
//
// The rules in short:
//
//   - A message costs what its best record states: one with a stop reason, then the one
//     with the most output tokens, then the last one read. All numbers, the speed and
//     the geography come from that record.
//   - Its price is that of the earliest timestamp among the records that are equal in
//     whether they have a stop_reason, and in output, since copies may be read in any
//     order. A line without a timestamp, or from the future or before 2020, is as old
//     as the reading.
//   - Iterations of the types advisor_message and compaction are requests of their own:
//     own model, own prompt size, the time of the message. Speed and geography are
//     those of the message unless the iteration states its own, which null does not.
//   - Each component of each request is rounded half up to 10^-9 dollars.
//   - A request to a model without a price costs nothing. Its tokens are counted.
package cost
