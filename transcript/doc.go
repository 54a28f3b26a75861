// Package transcript decodes the lines of Claude Code session files. It is pure: it
// opens no files and counts nothing, and a Parser keeps no state that affects its
// results, so the same bytes always give the same result.
//
// A session file is a sequence of lines terminated by "\n". Each line is a JSON object
// with a "type". Most objects are entries of the dialogue ("user", "assistant"); the
// rest describe events around it. [Parser.Parse] adds the entries of a line to a
// [Buffer] and, if the line is not exactly one JSON object, the [Problem] with it.
// [Parser.ParseTail] does the same for a last line that is not terminated yet.
//
// Each line is decoded on its own. The caller decides which line of a message counts,
// which copies are duplicates and which files belong to sub-agents: by the keys and
// times of entries and by the kind that [KindOf] derives from a file name.
//
// # Format
//
// The format has no specification, changes with every release of Claude Code, and is
// also written by gateways and other tools. Decoding is therefore lenient:
//
//   - An unknown type, subtype or field is never an error. Types and fields that may
//     matter are listed in Entry.Unknown, by name if the name looks like an identifier.
//   - Each field is decoded independently. A field of the wrong JSON type counts as
//     absent and does not affect the rest of the line.
//   - Keys match exactly, including letter case. The last of equal keys wins.
//   - Exactly the JSON that encoding/json accepts is accepted: up to 10,000 levels of
//     nesting, and any bytes in a string except control characters. Invalid UTF-8 in a
//     string, and half of a surrogate pair, decode to U+FFFD.
//
// All of this matches encoding/json. The tests verify it with a second decoder built on
// encoding/json alone. The only differences are the limits on hostile lines, see
// [Parser.Parse].
//
// # Implementation
//
// Nearly all of a transcript is conversation text, which does not count. A line is
// therefore read in a single pass that validates it, enters the few objects that
// matter, skips everything else, and records the position of every value that the entry
// may depend on. It decodes nothing yet, because the type of the entry may come last.
// After the pass, only the values that an entry of this type needs are decoded.
//
//   - Most bytes are in strings. One pass with vector instructions (AVX2 on amd64, NEON
//     on arm64) marks the quotes and escapes of a line, and strings are then skipped
//     without reading them. Lines with control characters or invalid escapes have no
//     marks, nor do lines on other machines and with the build tag purego. There, short
//     strings are scanned eight bytes at a time, and long strings with the search
//     functions of package bytes.
//   - A string of valid UTF-8 without escapes is not copied but used in place.
//   - Frequent names are interned, and the parts of entries are in the Buffer, whose
//     memory is reused. Most lines therefore allocate nothing.
//   - Only ids that are needed for counting are digested.
//
// No input makes this package panic, and every line takes time and memory proportional
// to its length.
package transcript
