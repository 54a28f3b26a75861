// Package daemon runs the parts: it starts, catches up with the files, serves the
// counters, reloads the configuration, saves the state, and stops.
//
// # Model
//
// One goroutine, the engine, passes what the watcher finds to the follower, which applies
// it to the state, and does what is due by time. A start restores the state, reads every
// file to its end, and only then exposes numbers. Until then messages are not settled,
// since a file read later may hold their better record.
//
// # Guarantees
//
//   - After a crash at any moment, the daemon continues with exactly the state of the last
//     scrape. While nothing can be written, events are still counted, but the exposed
//     counters are paused.
//   - A snapshot is written when the journal has grown enough, so the bytes written follow
//     from what happens, and not from how much is remembered.
//   - A configuration is put in force as a whole, or not at all.
//   - When Run has returned, no goroutine of the daemon is left.
package daemon
