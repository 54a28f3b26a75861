package transcript

// fork reads the session from which an entry of a fork was copied.
func (p *Parser) fork(e *Entry) {
	r := &p.raw
	if e.SessionID == "" {
		return
	}
	isOther := func(v rawValue) bool { return v.isString() && !v.is(e.SessionID) }
	if isOther(r.requestSession) {
		e.RequestSession = KeyOf("session", r.requestSession.str())
	}
	e.Copied = !e.RequestSession.IsZero() || isOther(r.forkedFrom.member("sessionId"))
}
