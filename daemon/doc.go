// Package daemon starts, catches up with the transcripts, serves the counters, reloads
// the configuration, saves the state, and stops.
//
// # Model
//
// One goroutine, the engine, passes the updates of the watcher to the follower, which
// applies them to the state, and does periodic work. At a start, the daemon restores
// the state, reads every file to its end, and only then exposes the counters. Until
// then no message is counted, since a file read later may have a better record of it.
//
// # Guarantees
//
//   - After a crash at any moment, the daemon continues with exactly the state of the
//     last scrape. While the state cannot be written, events are still counted, but the
//     exposed counters are paused.
//   - A snapshot is written when the journal has grown enough. The bytes written depend
//     on the activity, not on the size of the state.
//   - A new configuration applies as a whole, or not at all.
//   - When Run has returned, none of the daemon's goroutines are left.
package daemon
