// Package transcript says what one line of a Claude Code session file means.
// It is pure: it opens no file, counts nothing and remembers nothing, so the
// same bytes always give the same result.
//
// A session file is a sequence of lines ended by "\n", each one JSON object
// with a "type". Most objects are an entry of the dialogue ("user",
// "assistant"), the others tell what happened around it. [Parse] turns a line
// into a [Line]: the entries that it holds, and, where the line is not exactly
// one JSON object, the [Problem] with it and what could be recovered. [ParseTail]
// does the same for a last line that has no end yet.
//
// The format has no specification, grows with every release of Claude Code and
// is also written by gateways and other tools, so decoding is loose:
//
//   - An unknown type, subtype or field is never an error; it is named in
//     Entry.Unknown.
//   - Each field is read on its own. A field of the wrong JSON type counts as
//     absent and takes nothing else of the line with it.
//   - Keys match exactly, letter case included, and the last of equal keys wins.
//   - What is JSON is what encoding/json takes. Invalid UTF-8 within a string
//     reads as U+FFFD.
//
// One line tells nothing about another: which of several lines of one message
// counts, which copy is a duplicate, which file is a sub-agent's. Entries carry
// keys and times for whoever decides that, and [KindOf] says what the name of a
// file tells.
//
// No input makes this package panic, and every line takes time in proportion
// to its length.
package transcript
