package usage

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Usage is the answer to a Query.
type Usage struct {
	Query
	// Measures are the measures that have all labels of the query.
	Measures []Measure
	// Recorded is the beginning of the record: the time of the first usage, whether or
	// not the query selects it. It is zero if there is none.
	Recorded time.Time
	// Rows are sorted by time and by the values of Query.By. Periods without usage have no
	// row.
	Rows []Row
	// Total is the sum of all rows.
	Total Values
	// Undated is usage without a known time: it was counted while the history was off.
	// Query.Since and Until do not apply to it.
	Undated Values
	// Unpriced are the tokens without a price, by model, in the time range of the query.
	// Filters by labels that claude_unpriced_tokens does not have are ignored.
	Unpriced map[string]uint64
}

// HasUnpriced reports whether a part of the usage has tokens without a price, so that
// its cost is a lower bound. Unless UnpricedTokens is one of the measures, each part
// with tokens may have some of Unpriced.
func (u *Usage) HasUnpriced(part *Values) bool {
	if slices.Contains(u.Measures, UnpricedTokens) {
		return part[UnpricedTokens] > 0
	}
	return len(u.Unpriced) > 0 && (part.Tokens() > 0 || part[Cost] > 0)
}

// UnpricedModels returns the models in Unpriced, by falling number of tokens.
func (u *Usage) UnpricedModels() []string {
	return slices.SortedFunc(maps.Keys(u.Unpriced), func(a, b string) int {
		return cmp.Or(cmp.Compare(u.Unpriced[b], u.Unpriced[a]), cmp.Compare(a, b))
	})
}

// AllUnpriced returns the number of tokens in Unpriced.
func (u *Usage) AllUnpriced() (n uint64) {
	for _, tokens := range u.Unpriced {
		n += tokens
	}
	return n
}

// A Row is the usage in one period.
type Row struct {
	Start  time.Time // of the period; Query.Since, which may be zero, with Total
	Labels []string  // values of Query.By
	Values Values
}

// Compute answers a query from a record. It returns an error if the query names an
// unknown label, or labels that no measure has together, or has too many rows.
func Compute(h *counters.History, q Query) (Usage, error) {
	all, err := ComputeAll(h, q)
	if err != nil {
		return Usage{}, err
	}
	return all[0], nil
}

// ComputeAll answers several queries, as Compute does. That takes less time than one
// after the other, since the record is decoded once.
func ComputeAll(h *counters.History, queries ...Query) ([]Usage, error) {
	all, recorded, known := make([]*calculation, len(queries)), Recorded(h), labelsOf(h)
	for i, q := range queries {
		if err := q.check(h, known); err != nil {
			return nil, err
		}
		q.Step = cmp.Or(q.Step, Total)
		if q.Location == nil {
			q.Location = time.UTC
		}
		all[i] = newCalculation(Usage{Query: q, Recorded: inZone(recorded, q.Location), Unpriced: unpriced(h, q)})
	}
	for i := range h.Families {
		if err := addFamily(&h.Families[i], all...); err != nil {
			return nil, err
		}
	}
	usages := make([]Usage, len(all))
	for i, c := range all {
		usages[i] = c.finish()
	}
	return usages, nil
}

// unpriced returns Usage.Unpriced.
func unpriced(h *counters.History, q Query) map[string]uint64 {
	var only counters.History
	for _, f := range h.Families {
		if f.Family.Name == definitions[UnpricedTokens].family {
			only.Families = append(only.Families, f)
		}
	}
	where := maps.Clone(q.Where)
	maps.DeleteFunc(where, func(name string, _ []string) bool { return hasLabel(h, name) && !hasLabel(&only, name) })
	c := newCalculation(Usage{Query: Query{Since: q.Since, Until: q.Until, Step: Total, By: []string{ModelLabel}, Where: where}})
	tokens := make(map[string]uint64)
	for i := range only.Families {
		if addFamily(&only.Families[i], c) != nil {
			continue // a model has one row, and the number of models is limited
		}
		for _, row := range c.finish().Rows {
			tokens[row.Labels[0]] = row.Values[UnpricedTokens]
		}
	}
	return tokens
}

// inZone converts a time to a zone. The zero time stays as it is.
func inZone(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(zone)
}

// Recorded returns the beginning of a record: the time of the first usage. It is zero
// if there is none.
func Recorded(h *counters.History) (first time.Time) {
	for i := range h.Families {
		f := &h.Families[i]
		if len(measuresOf(f.Family.Name)) == 0 {
			continue
		}
		for j := range f.Series {
			start, ok := f.Series[j].Began()
			if at := time.UnixMilli(start); ok && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	return first
}
