// Package metrics shows what has been counted: as Prometheus families, over
// HTTP, as text, and as a page of documentation.
//
// There are two kinds of families. Those with the prefix claude_ say what was
// seen of Claude Code, those with ccwatchd_ how the daemon fares.
//
// What the ledger has counted is shown by an Exposition. It has one snapshot
// filled a scrape, so that everything in a scrape is of one moment, and shows
// the created timestamps that the ledger remembers. The counters of the client
// library would start again from zero with the process; these go on where they
// were.
//
// What only lives as long as the process, the daemon's own health, is counted
// directly in a Daemon. An Exposition shows the families of its registry among
// those of the ledger.
//
// Taking a snapshot is not without effect: a series that is new is zero in the
// first snapshot that has it, and has its value once everybody has seen that who
// comes regularly. So nothing here takes one save where somebody sees it, and
// says who.
//
// # What a scrape costs
//
// A series stays in its place in the snapshot for as long as the process lives,
// and its labels never change. So its place in the order and its labels as a
// format writes them are made once, when it is seen first, and kept; if a source
// comes with a label that is new, everything is made anew. A scrape fills the
// snapshot in place, which is all that it needs the ledger's lock for, and
// writes the numbers between what is kept. It takes no memory for any series
// that was there before: in text 10,000 of them take a millisecond, a tenth of
// it under the lock, and two more if they are compressed.
//
// The bytes are those that the client library would write, and tests compare
// them. What is wrong with a series is found when it is new: a label that is not
// UTF-8, a second series with the same labels, a name that two labels have. It
// is left out, and told in every scrape.
//
// Scrapes are made one after another, and sent at the same time.
package metrics
