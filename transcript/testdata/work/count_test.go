package transcript

import (
	"fmt"
	"testing"
)

// TestCountWork prints the work for a short and a long version of each hostile line.
func TestCountWork(*testing.T) {
	count := func(line string) int {
		p, buffer := NewParser(), &Buffer{}
		before := work
		p.Parse([]byte(line), false, buffer)
		return work - before
	}
	for name, hostile := range hostileLines() {
		fmt.Printf("work %d %d %s\n", count(hostile(shortLength)), count(hostile(longLength)), name)
	}
}
