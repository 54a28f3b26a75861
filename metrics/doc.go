// Package metrics shows what has been counted: as Prometheus families, over
// HTTP, as text, and as a page of documentation.
//
// There are two kinds of families. Those with the prefix ccwatch_ say what was
// seen of Claude Code, those with ccwatchd_ how the daemon fares.
//
// What the ledger has counted is shown by a Collector. It asks for one snapshot
// a scrape, so that everything in a scrape is of one moment, and makes constant
// metrics of it with the created timestamps that the ledger remembers. The
// counters of the client library would start again from zero with the process;
// these go on where they were.
//
// What only lives as long as the process, the daemon's own health, is counted
// directly in a Daemon.
//
// Taking a snapshot is not without effect: a series that is new is zero in the
// first snapshot that has it, and has its value from the next one on. So
// nothing here takes one save where somebody sees it.
package metrics
