package transcript

import "slices"

// A Buffer collects the entries and problems of lines that a Parser reads. Reset makes
// its memory, and with it everything that its entries point to, available for reuse;
// strings of entries stay valid.
type Buffer struct {
	Entries []Entry
	// Problems has one element for each line that is not exactly one JSON object.
	Problems []Problem

	// Entries point into these slices. When append moves a slice to larger memory,
	// earlier entries keep pointing to the old memory.
	messages     []Message
	responses    []Response
	iterations   []Iteration
	reported     []ReportedUsage
	uses         []ToolUse
	results      []ToolResult
	prompts      []Prompt
	attributions []Attribution
	facts        []Fact
}

// maxRetained is the largest capacity of a slice that Reset retains. A hostile line can
// hold far more elements than all lines of a batch usually do.
const maxRetained = 1 << 13

// Reset empties the buffer.
func (b *Buffer) Reset() {
	if max(cap(b.Entries), cap(b.Problems), cap(b.iterations), cap(b.reported), cap(b.uses), cap(b.results), cap(b.facts)) > maxRetained {
		*b = Buffer{}
		return
	}
	b.Entries, b.Problems = b.Entries[:0], b.Problems[:0]
	b.messages, b.responses = b.messages[:0], b.responses[:0]
	b.iterations, b.reported, b.prompts = b.iterations[:0], b.reported[:0], b.prompts[:0]
	b.uses, b.results, b.facts = b.uses[:0], b.results[:0], b.facts[:0]
	b.attributions = b.attributions[:0]
}

// push appends v and returns a pointer to it in the slice. Where append grows large
// slices by a quarter, push doubles them, since all of their old memory may remain in
// use.
func push[T any](s *[]T, v T) *T {
	if n := len(*s); n == cap(*s) {
		*s = slices.Grow(*s, n+1)
	}
	*s = append(*s, v)
	return &(*s)[len(*s)-1]
}

// tail returns the elements from index n on; nil if there are none.
func tail[T any](s []T, n int) []T {
	if len(s) == n {
		return nil
	}
	return s[n:len(s):len(s)]
}
