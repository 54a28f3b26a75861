package pricing

import "fmt"

// An OverlapError means that two rows of an overlay price a model on the same day.
type OverlapError struct {
	Model         string
	First, Second int // indices of the rows
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("price of %s: rows %d and %d overlap", e.Model, e.First+1, e.Second+1)
}

// With returns the table with valid rows of a configuration, whose models need not be
// normalized. During its period such a row replaces the others of its model; at any
// other time the model costs what it did before. A model without built-in prices has
// its first price before its first day, and its last one after its last day.
func (t *Table) With(rows []Row) (*Table, error) {
	overlay := make([]Row, len(rows))
	overlaid := map[string]bool{}
	for i, r := range rows {
		r.Model, r.Overlay = Normalize(r.Model), true
		overlay[i] = r
		overlaid[r.Model] = true
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
		kept = without(kept, &overlay[i])
	}
	return NewTable(t.Updated, append(kept, overlay...)), nil
}

// effective returns a row with the period in which it is used.
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

// without returns the rows except for the period of o in those of its model.
func without(rows []Row, o *Row) []Row {
	var left []Row
	for _, r := range rows {
		if !r.overlaps(o) {
			left = append(left, r)
			continue
		}
		if before := r; r.From < o.From {
			before.Until = o.From
			left = append(left, before)
		}
		if after := r; o.end() < r.end() {
			after.From = o.Until
			left = append(left, after)
		}
	}
	return left
}
