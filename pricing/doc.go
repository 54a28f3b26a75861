// Package pricing knows what a request to a model costs by list price, by date.
//
// A Table has the rates of models over time: one Row for each model and period.
// Table.Price selects those of one request; Price.Cost multiplies them by its usage.
// Amounts are integers, so sums do not depend on their order: rates in 10^-12 US
// dollars per token, amounts in 10^-9 US dollars.
//
// The built-in rows are in builtin.go. Those of a configuration override them, see
// Table.With. A model without a row has no price: none is ever derived from the price
// of a model with a similar id.
package pricing
