// Package naive is a second implementation of the metrics that the reference program
// does not know. It holds all transcripts of a tree in memory and computes what
// "ccwatchd once" must expose for them, to the last series.
//
// Each [Rule] implements the text of a page in docs for some families. It imports no
// package of the program, so that a mistake in one of the two is not in the other. To
// add one, write a function that adds what it finds to [Totals], and list it in Rules.
package naive
