package transcript

// maxInterned is how many strings an intern remembers. There are some hundred of
// models, tools and directories; what is more than that comes from lines that
// invent a new one each.
const maxInterned = 4096

// maxInternedLen is how long they are: what is longer is no name.
const maxInternedLen = 256

// An intern gives equal bytes as one and the same string, so that names that come
// again and again take no memory each time.
type interner map[string]string

func (in interner) string(b []byte) string {
	return in.as(b, func(s string) string { return s })
}

// label gives bytes as Clean does.
func (in interner) label(b []byte) string { return in.as(b, Clean) }

// as gives bytes as made, which has to give the same for the same bytes.
func (in interner) as(b []byte, made func(string) string) string {
	if s, ok := in[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) > maxInternedLen {
		return made(s)
	}
	if len(in) >= maxInterned {
		clear(in)
	}
	in[s] = made(s)
	return in[s]
}
