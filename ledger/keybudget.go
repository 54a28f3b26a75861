package ledger

import (
	"cmp"
	"maps"
	"slices"
)

// A keyBudget decides when the rows of the sources are counted. A source may have
// Options.MaxKeys rows that belong to files; beyond it, TrimKeys forgets its oldest
// files early. So the memory and the state that one source takes are bounded, whatever
// its files were before.
//
// Rows are counted as a whole and rarely, so that a line costs nothing: a source can
// only exceed its budget if all sources together have as many more rows.
type keyBudget struct {
	counted int // number of rows of all sources when they were last counted
	room    int // number of rows by which they may grow before they are counted again
}

const (
	// missingFileRows is the number of rows for which a file counts that no longer
	// exists: it takes memory until it is forgotten, even if it was empty. Files that
	// exist take disk space, and their number is not limited.
	missingFileRows = 4
	// overshoot is the part of the budget by which a source may exceed it before the
	// rows are counted again, and half the part by which it is below it afterwards.
	overshoot = 16
)

// Trimmed is what TrimKeys forgot of a source.
type Trimmed struct {
	Source SourceLabels
	Keys   int      // number of rows
	Files  []FileID // that no longer exist, and are unknown now
}

// HasManyKeys reports whether a source may have more rows than its budget, so that
// TrimKeys has to be called. It is fast.
func (l *Ledger) HasManyKeys() bool {
	if l.options.MaxKeys == 0 {
		return false
	}
	rows := l.allRows()
	l.budget.counted = min(l.budget.counted, rows)
	return rows-l.budget.counted >= l.budget.room
}

// resetBudget lets the rows be counted once there are enough for the budget of one
// source.
func (l *Ledger) resetBudget() { l.budget = keyBudget{room: l.options.MaxKeys} }

// allRows returns the number of rows of all sources. All files count as missing.
func (c *core) allRows() (n int) {
	for _, t := range c.owned {
		n += t.len()
	}
	return n + missingFileRows*c.files.Len()
}

// TrimKeys forgets, at the time now, the rows of the oldest files of each source with
// more than Options.MaxKeys rows. Files that no longer exist are forgotten first.
//
// The group of a file does not keep its rows: a file that repeats lines of each later
// file would keep all of them. An event that a forgotten file was the first to have
// counts again if another file repeats it.
func (l *Ledger) TrimKeys(now int64) (all []Trimmed) {
	limit, largest := l.options.MaxKeys, 0
	owners := l.ownersBySource()
	for _, source := range slices.Sorted(maps.Keys(owners)) {
		o := owners[source]
		if rows := o.total(); rows > limit {
			all = append(all, l.forgetOldest(source, o, rows-limit+2*limit/overshoot, now))
		}
		largest = max(largest, o.total())
	}
	if len(all) > 0 {
		l.keysDropped()
	}
	l.budget = keyBudget{l.allRows(), max(limit-largest, limit/overshoot)}
	return all
}

// fileOwners are the files of a source with the number of their rows.
type fileOwners map[FileID]int

func (o fileOwners) total() (n int) {
	for _, rows := range o {
		n += rows
	}
	return n
}

// ownersBySource counts the rows of the files of each source. A file that is not known
// any more belongs to the source of the first known file in its group.
func (c *core) ownersBySource() map[SourceLabels]fileOwners {
	owners := make(fileOwners)
	for _, t := range c.owned {
		t.count(owners)
	}
	for id, f := range c.files.All() {
		if f.has(fileMissing) {
			owners[id] += missingFileRows
		}
	}
	all := make(map[SourceLabels]fileOwners)
	for id, rows := range owners {
		source := c.sourceOf(id)
		if all[source] == nil {
			all[source] = make(fileOwners)
		}
		all[source][id] = rows
	}
	return all
}

// forgetOldest forgets the oldest files of a source, until it has excess rows less, and
// removes them from o.
func (l *Ledger) forgetOldest(source SourceLabels, o fileOwners, excess int, now int64) Trimmed {
	t := Trimmed{Source: source}
	old := make(map[FileID]bool)
	for _, id := range l.byAge(o) {
		if t.Keys >= excess {
			break
		}
		t.Keys += o[id]
		old[id] = true
		delete(o, id)
		if l.isPresent(id) {
			l.finish(id, now)
		} else {
			l.forgetFile(id, now)
			t.Files = append(t.Files, id)
		}
	}
	l.drop(func(id FileID) bool { return old[id] })
	return t
}

// byAge returns files in the order in which they are forgotten: the files that no
// longer exist first, then the files that were found first.
func (l *Ledger) byAge(o fileOwners) []FileID {
	present := make(map[FileID]int, len(o))
	for id := range o {
		if l.isPresent(id) {
			present[id] = 1
		}
	}
	return slices.SortedFunc(maps.Keys(o), func(a, b FileID) int {
		return cmp.Or(cmp.Compare(present[a], present[b]), cmp.Compare(a, b))
	})
}

// isPresent reports whether a file is known and not missing.
func (l *Ledger) isPresent(id FileID) bool {
	f, known := l.files.Get(id)
	return known && !f.has(fileMissing)
}
