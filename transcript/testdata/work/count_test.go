package transcript

import (
	"fmt"
	"testing"
)

// TestCountWork prints the work that each hostile line takes, short and long.
func TestCountWork(*testing.T) {
	count := func(line string) int {
		p, page := NewParser(), &Buffer{}
		before := work
		p.Parse([]byte(line), false, page)
		return work - before
	}
	for name, hostile := range hostileLines() {
		fmt.Printf("work %d %d %s\n", count(hostile(shortLength)), count(hostile(longLength)), name)
	}
}
