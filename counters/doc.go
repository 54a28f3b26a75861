// Package counters holds the series of metric families: their values, labels and
// limits, histograms, and a record of when each series grew. It knows nothing about the
// counted events.
//
// # Operations
//
// A change of a set is one or more operations: a series is created, grows by a number
// at a time, and so on. Without recording, an operation is applied at once. With
// recording, operations are only collected: Operations returns their encoding, which
// the owner writes to its journal, and ApplyRecorded applies them with the same code as
// Apply, which restores a set from a journal, so a restored set cannot differ from the
// journaled set. Collecting works because counting never reads a value.
//
// # Guarantees
//
//   - A value never falls, except in a [Level], and never overflows: it stays at the
//     largest number.
//   - Series have numbers in the order of their creation, which never change.
//   - A series is created with the time of its earliest event until it may have been
//     exposed; then the time is fixed.
//   - Labels with made-up values are limited, and so is the number of series of a
//     family from each source. Excess values and series are counted under [Other].
//   - A label may keep more values than it exposes by name. Then snapshots add up the
//     rest as [Other], and the history has all values. Once a value was exposed, its
//     exposition never changes.
//
// A Set is not safe for concurrent use; its owner locks.
package counters
