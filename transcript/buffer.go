package transcript

// A Page is what some lines say, gathered by a Parser. Its memory is used again
// after Reset, and with it everything that its entries point to; their strings
// may be kept.
type Buffer struct {
	Entries []Entry
	// Problems are those of the lines that are not exactly one JSON object, one
	// a line.
	Problems []Problem

	// What the entries point to. Where one of these outgrows its memory, the
	// entries before go on pointing to the old one.
	messages   []Message
	iterations []Iteration
	reported   []ReportedUsage
	uses       []ToolUse
	results    []ToolResult
	prompts    []Prompt
}

// maxKept is for how many things of a kind a page keeps its memory when it is used
// again. A hostile line can hold far more than all lines of a page do.
const maxKept = 1 << 13

// Reset empties the page.
func (p *Buffer) Reset() {
	if max(cap(p.Entries), cap(p.Problems), cap(p.iterations), cap(p.reported), cap(p.uses), cap(p.results)) > maxKept {
		*p = Buffer{}
		return
	}
	p.Entries, p.Problems = p.Entries[:0], p.Problems[:0]
	p.messages, p.iterations, p.reported, p.prompts = p.messages[:0], p.iterations[:0], p.reported[:0], p.prompts[:0]
	p.uses, p.results = p.uses[:0], p.results[:0]
}

func (p *Buffer) problem(what Problem) { p.Problems = append(p.Problems, what) }

// keep appends v to memory and returns where it is.
func keep[T any](memory *[]T, v T) *T {
	*memory = append(*memory, v)
	return &(*memory)[len(*memory)-1]
}

// since returns what was appended to memory since it had n elements; nil if
// nothing was.
func since[T any](memory []T, n int) []T {
	if len(memory) == n {
		return nil
	}
	return memory[n:len(memory):len(memory)]
}
