package push

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// labels are the labels of a series in one comparable string, sorted by name. Each name
// and each value ends with a terminator.
type labels string

// terminator occurs in no UTF-8 string.
const terminator = "\xff"

// all returns the names and values.
func (l labels) all() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := string(l); rest != ""; {
			var name, value string
			name, rest, _ = strings.Cut(rest, terminator)
			value, rest, _ = strings.Cut(rest, terminator)
			if !yield(name, value) {
				return
			}
		}
	}
}

type label struct{ name, value string }

func sortedLabels(of map[string]string) []label {
	var all []label
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, label{name, of[name]})
	}
	return all
}

// appendLabels sorts labels and appends them in the encoding of type labels. It omits
// empty labels, as servers do, and repeated names except the first.
func appendLabels(to []byte, all []label) []byte {
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(a.name, b.name) })
	before := ""
	for _, l := range all {
		if l.value == "" || l.name == before {
			continue
		}
		before = l.name
		to = append(append(to, l.name...), terminator...)
		to = append(append(to, l.value...), terminator...)
	}
	return to
}
