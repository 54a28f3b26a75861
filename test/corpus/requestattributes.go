package corpus

import "hash/crc32"

// requestAttributes are how the request of a message was made.
type requestAttributes struct {
	effort, turnEffort string // empty: not stated
}

// drawAttributes sets the requestAttributes of a message. The efforts follow from its
// ids.
func (t *transcript) drawAttributes(m *message) {
	n := crc32.ChecksumIEEE([]byte("effort of " + m.id + m.ref))
	efforts := [...]string{"high", "high", "high", "medium", "low", "max", "xhigh", "new", ""}
	if t.version >= v(2, 1, 212) {
		m.effort = efforts[n%9]
	}
	if t.version >= v(2, 1, 240) && n%7 == 0 {
		m.turnEffort = efforts[n/9%7]
	}
}

// permissions returns the permission mode of a session. It follows from its id.
func (t *settings) permissions() string {
	modes := [...]string{"default", "default", "acceptEdits", "auto", "plan", "bypassPermissions"}
	return modes[crc32.ChecksumIEEE([]byte(t.sessionID))%uint32(len(modes))]
}
