package pricing

import (
	"fmt"
	"maps"
	"slices"
)

// An AliasError means that an alias cannot be used.
type AliasError struct {
	ID     string // as written
	Reason string
}

func (e *AliasError) Error() string { return fmt.Sprintf("alias %s: %s", e.ID, e.Reason) }

// WithAliases returns the table with other ids of its models, which need not be
// normalized: requests to the id of an alias are priced as requests to its model. It is
// for ids that do not name their model, such as application inference profiles of
// Amazon Bedrock. An alias precedes the built-in rows of its id.
func (t *Table) WithAliases(models map[string]string) (*Table, error) {
	table := NewTable(t.Updated, t.Rows)
	table.Aliases = make(map[string]string, len(models))
	for _, written := range slices.Sorted(maps.Keys(models)) {
		id, model := Normalize(written), models[written]
		first, again := table.Aliases[id]
		isOverlaid := func(r Row) bool { return r.Model == id && r.Overlay }
		switch {
		case id == "":
			return nil, &AliasError{written, "this is not the id of a model"}
		case again && first != model:
			return nil, &AliasError{written, "another form of the id is an alias of " + first}
		case !t.Has(model):
			return nil, &AliasError{written, fmt.Sprintf("%q has no price", model)}
		case slices.ContainsFunc(t.Rows, isOverlaid):
			return nil, &AliasError{written, "the id has a price of its own"}
		}
		table.Aliases[id] = model
	}
	return table, nil
}
