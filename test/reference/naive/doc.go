// Package naive is a second implementation of the metrics that the reference program
// does not know, and of tokens and costs. It holds all transcripts of a tree in memory
// and computes what "ccwatchd once" must expose for them, to the last series.
//
// Each [Rule] implements the text of a page in docs for some families. The package
// imports no package of the program and decodes with encoding/json, so that a mistake
// in one of the two is not in the other. Prices are from a list of its own and
// calculated with rational numbers. To add a rule, write a function that adds to
// [Totals], and list it in Rules.
package naive
