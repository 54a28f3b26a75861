// Package usage answers questions about usage over time from the record that the
// ledger keeps of when each counter grew.
package usage
