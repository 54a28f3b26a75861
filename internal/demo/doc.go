// Package demo has a made-up team work with Claude Code, so that there is
// something to see where nobody does.
//
// A [Team] lives in a temporary directory of its own. Each of its people has a
// home there, with sessions that package corpus makes up: they are written line
// by line, when each line is due, with times that are now, but some times as fast
// as anybody works. The first sessions have everything in them that can be
// counted; after that comes what is usual.
//
// The same seed, speed and number of people give the same sessions, in the same
// order, at whatever time. Only if the machine falls behind, as one that sleeps
// does, is the next session later than it would have been.
//
// A team may work for days: of what it has written only the newest sessions are
// kept, some megabytes a person.
package demo
