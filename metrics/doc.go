// Package metrics exposes what has been counted: as Prometheus families, over
// HTTP, as text, and as a page of documentation.
//
// There are two kinds of families. Those with the prefix claude_ say what was
// seen of Claude Code, those with ccwatchd_ are the daemon's own health.
//
// What the ledger has counted is exposed by an Exposition. It has one snapshot
// filled for each scrape, so that everything in a scrape is of one moment, and
// exposes the created timestamps that the ledger remembers. The counters of the
// client library would start again from zero with the process; these go on where
// they were. A scrape reads: it changes nothing in the ledger.
//
// What only lives as long as the process, the daemon's own health, is counted
// directly in a Daemon. An Exposition adds the families of its registry to those of
// the ledger.
//
// # What a scrape costs
//
// A series stays in its place in the snapshot for as long as the process lives, and
// its labels never change. So its metric with its labels is built once, when the
// series is seen first; if a source adds a new label, everything is built again. A
// scrape fills the snapshot in place, which is all that it needs the ledger's lock
// for, and writes the numbers into the metrics. Format, compression and negotiation
// are those of promhttp.
//
// The families are used by one scrape at a time, until its page is complete. Pages
// are sent at the same time, so a slow client does not delay others.
package metrics
