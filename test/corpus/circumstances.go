package corpus

import (
	"cmp"
	"hash/crc32"
)

// circumstances are how the request of a message was made.
type circumstances struct {
	effort, turnEffort string // empty: not stated
	entrypoint, era    string
}

// eras are the ranges of versions that write usage in the same way, by the first
// version after each.
var eras = []struct {
	before version
	name   string
}{
	{v(2, 0, 0), "1.0"},
	{v(2, 1, 0), "2.0"},
	{v(2, 1, 9), "2.1.0-2.1.8"},
	{v(2, 1, 30), "2.1.9-2.1.29"},
	{v(2, 1, 59), "2.1.30-2.1.58"},
	{v(2, 1, 97), "2.1.59-2.1.96"},
}

// drawCircumstances sets the circumstances of a message. The efforts follow from its
// id.
func (t *transcript) drawCircumstances(m *message) {
	n := crc32.ChecksumIEEE([]byte("effort of " + m.id))
	efforts := [...]string{"high", "high", "high", "medium", "low", "max", "xhigh", "new", ""}
	if t.version >= v(2, 1, 212) {
		m.effort = efforts[n%9]
	}
	if t.version >= v(2, 1, 240) && n%7 == 0 {
		m.turnEffort = efforts[n/9%7]
	}
	if t.version >= v(2, 1, 78) {
		m.entrypoint = t.entrypoint
	}
	m.era = "2.1.97+"
	for i := len(eras) - 1; i >= 0 && t.version < eras[i].before; i-- {
		m.era = eras[i].name
	}
}

// circumstances counts a message by its circumstances, or takes it back if sign is -1.
func (e *Expected) circumstances(c *circumstances, sign int) {
	effort := cmp.Or(c.turnEffort, c.effort, "unknown")
	if effort == "new" {
		effort = "other"
	}
	e.add("requests_by_effort", "effort="+effort, sign)
	e.add("requests_by_entrypoint", "entrypoint="+cmp.Or(c.entrypoint, "unknown"), sign)
	e.add("requests_by_era", "era="+c.era, sign)
}

// permissions returns the permission mode of a session. It follows from its id.
func (t *settings) permissions() string {
	modes := [...]string{"default", "default", "acceptEdits", "auto", "plan", "bypassPermissions"}
	return modes[crc32.ChecksumIEEE([]byte(t.sessionID))%uint32(len(modes))]
}
