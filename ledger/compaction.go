package ledger

// A compactMap is a map of dedup keys.
type compactMap interface {
	Compact()
	Shrink()
	SizeHint() int
}

// compactMaps returns the maps of dedup keys.
func (l *Ledger) compactMaps() (all [5 + seenCount]compactMap) {
	n := copy(all[:], []compactMap{&l.counted, &l.tools, &l.reported, &l.usage, &l.totals})
	for i := range l.seen {
		all[n+i] = &l.seen[i]
	}
	return all
}

// compact compacts the dedup keys.
func (l *Ledger) compact() {
	for _, m := range l.compactMaps() {
		m.Compact()
	}
}

// shrink frees memory that compact keeps for more dedup keys.
func (l *Ledger) shrink() {
	for _, m := range l.compactMaps() {
		m.Shrink()
	}
}
