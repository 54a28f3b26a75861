// Package demo simulates a team that works with Claude Code, so that metrics and
// dashboards have something to show.
//
// A [Team] writes sessions of package corpus. Each person has a home with them and with
// the registry of running sessions. The team of [NewOffice] works in the daytime, and
// its time may pass at any speed.
//
// A [Simulation] lives in a temporary directory. It begins with some days of such work.
// Then every line is written when it is due, with current times, at a multiple of
// the real speed: first sessions with everything that can be counted, then ordinary
// ones. Some sessions of the day before end, after a day without a line, while it runs.
//
// The same options at the same time give the same sessions in the same order. Only if
// the machine falls behind, for example after a suspend, does the next session begin
// later.
//
// A simulation may run for days: only the newest of its sessions are kept, some
// megabytes per person.
package demo
