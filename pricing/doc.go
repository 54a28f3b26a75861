// Package pricing knows what a request to a model costs by list price, by date.
//
// A Table has the rates of models over time. Table.Price selects those of one request;
// Price.Cost multiplies them by its usage. Amounts are integers, so sums do not depend
// on their order: rates in 10^-12 US dollars per token, amounts in 10^-9 US dollars.
package pricing
