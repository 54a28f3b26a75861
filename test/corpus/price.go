package corpus

import (
	"hash/crc32"
	"strconv"
	"strings"
)

// fastSince is the first version that writes messages in fast mode.
var fastSince = v(2, 1, 240)

// drawSpeed sets the speed of a message, and where it was processed. They follow from
// its ids: 1 in 40 messages of Opus is fast, 1 in 50 messages is from the US.
func (m *message) drawSpeed(since version) {
	if since < fastSince || !strings.HasPrefix(m.model, "claude-") {
		return
	}
	n := crc32.ChecksumIEEE([]byte(m.id + m.ref))
	m.fast, m.us = n%40 == 0 && strings.HasPrefix(m.model, "claude-opus-"), n%50 == 0
}

// speed returns the speed as it is written.
func (m *message) speed() string {
	if m.fast {
		return "fast"
	}
	return "standard"
}

// place returns where the message was processed, as it is written.
func (m *message) place() string {
	if m.us {
		return "us"
	}
	return "not_available"
}

// hurry has fast responses, in the US and elsewhere, and one that asks an advisor.
func (s *session) hurry() {
	for _, us := range []bool{false, true} {
		s.say(s.response("end_turn", func(m *message) {
			m.model, m.fast, m.us, m.iterations = "claude-opus-5", true, us, []iteration{s.advice()}
		}), true, s.named("text", ""))
	}
}

// switchToUnpriced has a response of one of the models that have no list price.
func (s *session) switchToUnpriced() {
	s.say(s.response("end_turn", func(m *message) {
		m.model, m.fast, m.us = "glm-5."+strconv.Itoa(s.between(1, s.unpriced)), false, false
	}), true, s.named("text", ""))
}
