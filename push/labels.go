package push

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// labels are the labels of a series in one comparable text, sorted by name: each
// name and each value, ended by what is in no text.
type labels string

// ends ends a name or a value. No byte of UTF-8 is like it.
const ends = '\xff'

// all returns the names with their values.
func (l labels) all() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := string(l); rest != ""; {
			var name, value string
			name, rest, _ = strings.Cut(rest, string([]byte{ends}))
			value, rest, _ = strings.Cut(rest, string([]byte{ends}))
			if !yield(name, value) {
				return
			}
		}
	}
}

// A label is a name with its value.
type label struct{ name, value string }

func sortedLabels(of map[string]string) []label {
	var all []label
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, label{name, of[name]})
	}
	return all
}

// appendLabels appends labels as a text, after they are sorted. To a server an
// empty one is none. Of others with one name the first counts.
func appendLabels(to []byte, all []label) []byte {
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(a.name, b.name) })
	before := ""
	for _, l := range all {
		if l.value == "" || l.name == before {
			continue
		}
		before = l.name
		to = append(append(to, l.name...), ends)
		to = append(append(to, l.value...), ends)
	}
	return to
}
