// Package metrics exposes the counts of the ledger and the daemon's own health as
// Prometheus families, to scrapes and as text. Its tests generate their documentation.
//
// Families with the prefix claude_ describe Claude Code, those with ccwatchd_ the
// daemon.
//
// An Exposition exposes the counts of the ledger. It takes one snapshot for each
// scrape, so a scrape shows one consistent moment, with the created timestamps of the
// ledger. Unlike counters of the client library, these do not start from zero with the
// process. A scrape changes nothing in the ledger.
//
// A Daemon counts the daemon's own health, which lasts as long as the process, with
// metrics of the client library. An Exposition merges the registry's families with the
// ledger's.
//
// # Cost of a scrape
//
// A series keeps its index in the snapshot for the life of the process, and its labels
// never change. Its metric and labels are therefore built once, when it first appears;
// if a source adds a new label name, everything is rebuilt. A scrape fills the snapshot
// in place, the only step that needs the ledger's lock, and copies the numbers into the
// metrics. promhttp does the negotiation, encoding and compression.
//
// One scrape at a time uses the families, until its response is complete. Responses are
// sent concurrently, so a slow client does not delay other clients.
package metrics
