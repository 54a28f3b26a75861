package golden

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	uuid    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	hash    = regexp.MustCompile(`\b(sha256:)?[0-9a-f]{12,}\b`)
	agent   = regexp.MustCompile(`\ba[0-9a-f]{6,16}\b`)
	toolUse = regexp.MustCompile(`toolu_\w+`)
	anyID   = regexp.MustCompile(uuid.String() + "|" + hash.String() + "|" + agent.String())
)

// replaceIDs replaces each id by an invented id of the same form.
func (m *Masker) replaceIDs(s string) string {
	return anyID.ReplaceAllStringFunc(s, func(id string) string {
		if m.scripted[id] {
			return id
		}
		if m.ids[id] == "" {
			m.ids[id] = invent(id, len(m.ids)+1)
		}
		return m.ids[id]
	})
}

// invent returns the n-th id of a form.
func invent(id string, n int) string {
	if uuid.MatchString(id) {
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", n)
	}
	prefix := ""
	switch {
	case strings.HasPrefix(id, "sha256:"):
		prefix = "sha256:"
	case agent.FindString(id) == id:
		prefix = "a"
	}
	return fmt.Sprintf("%s%0*x", prefix, len(id)-len(prefix), n)
}
