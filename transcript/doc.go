// Package transcript says what one line of a Claude Code session file means.
// It is pure: it opens no file and counts nothing, and a Parser remembers nothing that
// changes what it says, so the same bytes always give the same result.
//
// A session file is a sequence of lines ended by "\n", each one JSON object
// with a "type". Most objects are an entry of the dialogue ("user",
// "assistant"), the others tell what happened around it. [Parser.Parse] adds what a
// line says to a [Page]: the entries that it holds, and, where the line is not
// exactly one JSON object, the [Problem] with it and what could be recovered.
// [Parser.ParseTail] does the same for a last line that has no end yet.
//
// One line tells nothing about another: which of several lines of one message
// counts, which copy is a duplicate, which file is a sub-agent's. Entries carry
// keys and times for whoever decides that, and [KindOf] says what the name of a
// file tells.
//
// # What is read
//
// The format has no specification, grows with every release of Claude Code and
// is also written by gateways and other tools, so decoding is loose:
//
//   - An unknown type, subtype or field is never an error. Those that may matter are
//     in Entry.Unknown, by name where the name looks like an identifier.
//   - Each field is read on its own. A field of the wrong JSON type counts as
//     absent and takes nothing else of the line with it.
//   - Keys match exactly, letter case included, and the last of equal keys wins.
//   - What is JSON is what encoding/json takes, to the byte: up to 10,000 values in
//     each other, and in a string all bytes but control characters. What of a string
//     is no UTF-8, and half of a surrogate pair, reads as U+FFFD.
//
// All of this is as encoding/json would read it. The tests hold the package to that,
// with a second decoder that uses nothing else. It differs only in what it does not
// read of a hostile line, see [Parser.Parse].
//
// # How it is read
//
// Nearly all of a transcript is text of which nothing is counted. So a line is walked
// through once, from its beginning to its end, into the few objects that matter and
// past everything else. The walk finds out whether the line is well-formed, and keeps
// of each member that anything may depend on where its value stands. It cannot do
// more, since the type of an entry may be said last. Only when the line has ended are
// those values decoded that an entry of this type needs.
//
//   - Most bytes are in strings. Short ones are looked at eight bytes at a time, long
//     ones with the searches of package bytes for a quote and for backslashes.
//   - A string without an escape that is UTF-8 is not copied but used where it stands.
//   - Names that come again and again are made a string once, and what entries consist
//     of is on the page, whose memory is used again. So most lines take no memory.
//   - Digests are made only of ids by which something is counted.
//
// No input makes this package panic, and every line takes time and memory in
// proportion to its length.
package transcript
