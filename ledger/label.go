package ledger

// Other is the value of a label that already has as many values as it may.
const Other = "other"

// bounded returns the value itself while the label named name has room for it
// or knows it already, and Other from then on. Which values a full label has
// depends on who came first, and is part of the state.
func (l *Ledger) bounded(name, value string, when int64) string {
	known := l.values[name]
	if _, ok := known[value]; ok || value == "" || value == Other {
		return value
	}
	if len(known) >= l.limit(name) {
		l.add(labelOverflow, 1, when, "", name)
		return Other
	}
	if known == nil {
		known = make(map[string]struct{})
		l.values[name] = known
	}
	known[value] = struct{}{}
	return value
}

// defaultLimit holds for labels that Options.Limits does not name.
const defaultLimit = 100

func (l *Ledger) limit(name string) int {
	if n, ok := l.opts.Limits[name]; ok {
		return n
	}
	return defaultLimit
}
