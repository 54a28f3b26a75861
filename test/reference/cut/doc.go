// Package cut copies transcripts as they were at an earlier time. With it the
// reference, which only knows totals, checks the history of ccwatchd: the totals of the
// copy are the growth of the whole tree until then. That needs no second implementation
// of the rules of time.
//
// It is exact where a tree was quiet for some minutes before and after the time of the
// cut, so that no message was being written. Cuts are in short breaks, too: a line that
// counts an hour too early or too late is before a cut and not after it, or the other
// way round. Lines without a time are not in a copy, since ccwatchd counts them when it
// reads them. The entries in a malformed line can have their own times; the line itself
// has no time.
package cut
