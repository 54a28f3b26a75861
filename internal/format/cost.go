package format

// LowerBound marks the formatted cost of some usage with a plus sign if it is a lower
// bound: some tokens have no price, or the usage is incomplete.
func LowerBound(cost string, unpricedTokens uint64, incomplete bool) string {
	if unpricedTokens > 0 || incomplete {
		return cost + "+"
	}
	return cost
}
