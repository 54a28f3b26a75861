// Package demo simulates a team that works with Claude Code, so that metrics and
// dashboards have something to show.
//
// A [Simulation] lives in a temporary directory. Each person has a home there, with
// sessions from package corpus: every line is written when it is due, with current
// times, at a multiple of the real speed. The first sessions contain everything that
// can be counted; after that come ordinary ones.
//
// The same seed, speed and number of people give the same sessions in the same order.
// Only if the machine falls behind, for example after a suspend, does the next session
// begin later.
//
// When it begins there are also sessions of the day before, which end after a day
// without a line while the simulation runs, and the registry of running sessions.
//
// A simulation may run for days: only the newest sessions are kept, some megabytes per
// person.
package demo
