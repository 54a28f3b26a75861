package ledger

// Other is the value of a label that already has as many values as it may.
const Other = "other"

// bounded returns the value itself while the label named name has room for it
// or knows it already, and Other from then on. Which values a full label has
// depends on who came first, and is part of the state.
func (l *Ledger) bounded(name, value string, when int64) string {
	fits, known := l.fits(name, value)
	if !fits {
		l.add(labelOverflow, 1, when, "", name)
		return Other
	}
	if known {
		return value
	}
	if l.values[name] == nil {
		l.values[name] = make(map[string]struct{})
	}
	l.values[name][value] = struct{}{}
	return value
}

// glimpse returns what bounded would, and leaves no trace: it is for what
// depends on when somebody looked.
func (l *Ledger) glimpse(name, value string) string {
	if fits, _ := l.fits(name, value); !fits {
		return Other
	}
	return value
}

// fits reports whether a label may have a value, and whether it takes no room
// of its own.
func (l *Ledger) fits(name, value string) (fits, known bool) {
	if _, ok := l.values[name][value]; ok || value == "" || value == Other {
		return true, true
	}
	return len(l.values[name]) < l.limit(name), false
}

// defaultLimit holds for labels that Options.Limits does not name.
const defaultLimit = 100

func (l *Ledger) limit(name string) int {
	if n, ok := l.opts.Limits[name]; ok {
		return n
	}
	return defaultLimit
}
