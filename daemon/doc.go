// Package daemon joins the parts: it follows the files that the watcher names
// with the tailer, has the transcript package read their lines, and applies
// what they say to the ledger, step by step.
//
// One goroutine, the engine, does all of this. Everything that changes what is
// counted is a step, applied under one lock and, once the daemon has caught up,
// written to the journal before anybody can see its effect. So a crash at any
// moment is followed by exactly the state that the last scrape saw. While nothing
// can be written, what happens is counted all the same, but what is shown stands
// still.
//
// A daemon first catches up: it restores its state, reads every file to its
// end, and only then lets anybody see a number. Before that, messages are not
// settled, since a later file may hold their better record. Scouts, goroutines
// that only live that long, read files ahead of the engine; it counts what they
// have read in the order in which it would have read it.
package daemon
