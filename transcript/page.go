package transcript

// A Page is what some lines say, gathered by a Parser. Its memory is used again
// after Reset, and with it everything that its entries point to; their strings
// may be kept.
type Page struct {
	Entries []Entry
	// Problems are those of the lines that are not exactly one JSON object, one
	// a line.
	Problems []Problem
}

// Reset empties the page.
func (p *Page) Reset() {
	clear(p.Entries)
	p.Entries, p.Problems = p.Entries[:0], p.Problems[:0]
}

func (p *Page) problem(what Problem) { p.Problems = append(p.Problems, what) }
