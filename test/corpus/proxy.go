package corpus

import "slices"

// useProxy has the requests of a session go through a gateway whose ids are constant.
func (s *session) useProxy() {
	at := slices.IndexFunc(s.Providers, func(p provider) bool { return p.Constant })
	s.provider = &s.Providers[at]
	s.model = pick(s.rng, s.provider.Models...)
}

// separate writes an entry between two messages whose ids are the same and which are
// not separated by a result or prompt: they would be one.
func (t *transcript) separate() {
	if last := len(t.records) - 1; t.provider.Constant && last >= 0 && t.records[last].said != nil {
		t.filler()
	}
}

// renames reports whether copies of the transcript may have new uuids: with constant
// ids, their messages would count again.
func (t *transcript) renames() bool { return !t.provider.Constant }
