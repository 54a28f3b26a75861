package statetest

import _ "embed"

// numbersText lists the persisted numbers with their meanings, see TestNumbers.
//
//go:embed numbers.txt
var numbersText string
