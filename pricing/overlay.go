package pricing

import (
	"fmt"
	"slices"
)

// An OverlapError means that two rows of an overlay price a model on the same day.
type OverlapError struct {
	Model         string
	First, Second int // indices of the rows
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("price of %s: rows %d and %d overlap", e.Model, e.First+1, e.Second+1)
}

// An UnknownModelError means that a row of an overlay inherits prices that the table
// does not have.
type UnknownModelError struct {
	Model string
	Row   int // index
}

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("row %d: no built-in price of %s", e.Row+1, e.Model)
}

// With returns the table with valid rows of a configuration, whose models need not be
// normalized. During its period such a row replaces the built-in rows of its model or,
// if it inherits their prices, adds its multiplier to them; at any other time the
// prices do not change. A model without built-in prices has its first price before its
// first day, and its last price after its last day.
//
// The price for an inference profile of a region is the price in that region.
func (t *Table) With(rows []Row) (*Table, error) {
	overlay := make([]Row, len(rows))
	overlaid := map[string]bool{}
	for i, r := range rows {
		known, regional := t.row(r.Model, r.From)
		r.Model, r.Overlay = Normalize(r.Model), true
		if known != nil && known.Model != r.Model {
			t = t.renamed(known.Model, r.Model)
		}
		r.SameInRegions = regional || known != nil && known.SameInRegions
		overlay[i] = r
		overlaid[r.Model] = true
		if r.Inherits && known == nil {
			return nil, &UnknownModelError{r.Model, i}
		}
		for j := range overlay[:i] {
			if r.overlaps(&overlay[j]) {
				return nil, &OverlapError{r.Model, j, i}
			}
		}
	}
	kept := make([]Row, 0, len(t.Rows))
	for i, r := range t.Rows {
		if overlaid[r.Model] {
			kept = append(kept, t.effective(i))
		} else {
			kept = append(kept, r)
		}
	}
	for i := range overlay {
		kept = overlay[i].over(kept)
	}
	return NewTable(t.Updated, kept), nil
}

// renamed returns the table with the rows of a model also for an id that contains its
// name.
func (t *Table) renamed(model, id string) *Table {
	rows := slices.Clone(t.Rows)
	for _, r := range t.Rows {
		if r.Model == model {
			r.Model = id
			rows = append(rows, r)
		}
	}
	return NewTable(t.Updated, rows)
}

// effective returns a row with its actual period of use.
func (t *Table) effective(i int) Row {
	r := t.Rows[i]
	if i == 0 || t.Rows[i-1].Model != r.Model {
		r.From = 0
	}
	r.Until = 0
	if i+1 < len(t.Rows) && t.Rows[i+1].Model == r.Model {
		r.Until = t.Rows[i+1].From
	}
	return r
}

// over returns the rows of a model with r in place of its period.
func (r *Row) over(rows []Row) []Row {
	var all []Row
	for _, other := range rows {
		if !other.overlaps(r) {
			all = append(all, other)
			continue
		}
		if before := other; other.From < r.From {
			before.Until = r.From
			all = append(all, before)
		}
		if r.Inherits {
			during := other
			during.From, during.Multiplier, during.Overlay = max(other.From, r.From), r.Multiplier, true
			if r.end() < other.end() {
				during.Until = r.Until
			}
			all = append(all, during)
		}
		if after := other; r.end() < other.end() {
			after.From = r.Until
			all = append(all, after)
		}
	}
	if !r.Inherits {
		all = append(all, *r)
	}
	return all
}
