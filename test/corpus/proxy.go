package corpus

import "slices"

// useGateway has the requests of a session go through the first gateway that is like
// this.
func (s *session) useGateway(like func(p provider) bool) {
	at := slices.IndexFunc(s.Providers, like)
	s.provider = &s.Providers[at]
	s.model = pick(s.rng, s.provider.Models...)
}

// throughProxy has a response and the end of a turn come through a gateway whose ids
// are constant.
func (s *session) throughProxy() {
	own, model := s.provider, s.model
	s.useGateway(provider.constant)
	s.work()
	s.conclude()
	s.endTurn()
	s.provider, s.model = own, model
}

// separate writes an entry before a message whose parent would be a line of another
// message with the same id: they would be one, unless they name their requests.
func (t *transcript) separate() {
	continues := func(r record) bool { return r.uuid == t.parent && r.said != nil }
	if t.provider.Constant && t.version < requestsSince && slices.ContainsFunc(t.records, continues) {
		t.filler()
	}
}

// renames reports whether copies of the transcript may have new uuids: with constant
// ids, their messages would count again, unless they name their requests.
func (t *transcript) renames() bool { return !t.provider.Constant || t.version >= requestsSince }
