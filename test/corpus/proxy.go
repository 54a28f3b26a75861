package corpus

import "slices"

// useProxy has the requests of a session go through a gateway whose ids are constant.
func (s *session) useProxy() {
	at := slices.IndexFunc(s.Providers, func(p provider) bool { return p.Constant })
	s.provider = &s.Providers[at]
	s.model = pick(s.rng, s.provider.Models...)
}

// separate writes an entry before a message whose parent would be a line of another
// message with the same id: they would be one.
func (t *transcript) separate() {
	continues := func(r record) bool { return r.uuid == t.parent && r.said != nil }
	if t.provider.Constant && slices.ContainsFunc(t.records, continues) {
		t.filler()
	}
}

// renames reports whether copies of the transcript may have new uuids: with constant
// ids, their messages would count again.
func (t *transcript) renames() bool { return !t.provider.Constant }
