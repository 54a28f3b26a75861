// Package report renders usage as a table for terminals, and as CSV.
package report
