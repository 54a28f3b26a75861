package main

import (
	"bytes"
	"fmt"
	"os"
)

// What stands between these lines of a page is replaced.
const (
	begin = "<!-- compare:begin -->\n"
	end   = "<!-- compare:end -->\n"
)

// A page is a Markdown file with a place for the tables.
type page struct {
	name          string
	before, after []byte // the place, markers included
}

// readPage fails unless the file has each marker once, in their order.
func readPage(name string) (page, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return page{}, fmt.Errorf("read the page: %w", err)
	}
	p, ok := splitPage(text)
	if !ok {
		return page{}, fmt.Errorf("find the place for the tables in %s: it must have the lines %q and %q once each", name, begin[:len(begin)-1], end[:len(end)-1])
	}
	p.name = name
	return p, nil
}

func splitPage(text []byte) (page, bool) {
	if bytes.Count(text, []byte(begin)) != 1 || bytes.Count(text, []byte(end)) != 1 {
		return page{}, false
	}
	from := bytes.Index(text, []byte(begin)) + len(begin)
	to := bytes.Index(text, []byte(end))
	if from > to {
		return page{}, false
	}
	return page{before: text[:from], after: text[to:]}, true
}

// with returns the page with other tables.
func (p page) with(tables string) []byte {
	return bytes.Join([][]byte{p.before, []byte(tables), p.after}, []byte("\n"))
}

// replace writes the page with other tables.
func (p page) replace(tables string) error {
	if err := os.WriteFile(p.name, p.with(tables), 0o644); err != nil { //nolint:gosec // documentation is for everybody
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
