package report

// Count formats a number of things with three digits, such as 12.3M.
func Count(n uint64) string { return short.count(n) }

// Money formats an amount in US dollars: with cents, unless it is large.
func Money(usd float64) string { return short.money(usd) }

// Width returns the number of columns that a text takes in a terminal.
func Width(s string) int { return terminal.StringWidth(s) }

// Left returns a text in a width: cut, or with spaces behind it.
func Left(s string, width int) string {
	return terminal.FillRight(terminal.Truncate(s, width, "…"), width)
}

// Right returns a text in a width: cut, or with spaces before it.
func Right(s string, width int) string {
	return terminal.FillLeft(terminal.Truncate(s, width, "…"), width)
}

// Bar returns a bar of up to width characters for a share from 0 to 1.
func Bar(share float64, width int) string { return blocks(min(share, 1), width) }
