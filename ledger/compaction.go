package ledger

// A compactMap is what the maps of dedup keys have in common.
type compactMap interface {
	Compact()
	Shrink()
	SizeHint() int
}

// compactMaps visits the maps of dedup keys.
func (l *Ledger) compactMaps(visit func(compactMap) bool) {
	ok := visit(&l.counted) && visit(&l.tools) && visit(&l.reported) && visit(&l.usage) && visit(&l.totals)
	for i := 0; ok && i < len(l.seen); i++ {
		ok = visit(&l.seen[i])
	}
}

// compact compacts the dedup keys.
func (l *Ledger) compact() {
	for m := range l.compactMaps {
		m.Compact()
	}
}

// shrink frees memory that compact keeps for more dedup keys.
func (l *Ledger) shrink() {
	for m := range l.compactMaps {
		m.Shrink()
	}
}
