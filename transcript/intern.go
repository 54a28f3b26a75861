package transcript

const (
	// maxInterned limits the strings of an interner. Genuine transcripts have a few
	// hundred models, tools and directories; more come from lines that invent them.
	maxInterned = 4096
	// maxInternedLen limits the length of each: longer strings are not names.
	maxInternedLen = 256
)

// An interner returns the same string for equal bytes, so that frequent names are
// allocated once.
type interner map[string]string

func (in interner) string(b []byte) string {
	return in.as(b, func(s string) string { return s })
}

// label returns Clean of the bytes.
func (in interner) label(b []byte) string { return in.as(b, Clean) }

// as returns the result of convert, which must only depend on its argument.
func (in interner) as(b []byte, convert func(string) string) string {
	if s, ok := in[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) > maxInternedLen {
		return convert(s)
	}
	if len(in) >= maxInterned {
		clear(in)
	}
	in[s] = convert(s)
	return in[s]
}
