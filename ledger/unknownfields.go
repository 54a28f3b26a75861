package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// unknownFields holds the fields saved by a newer version. They are written back
// unchanged, so that nothing is lost when the newer version returns.
type unknownFields struct {
	ledger                     []byte
	files                      codec.Unknowns[FileID]
	held                       codec.Unknowns[hash64]
	iterations                 codec.Unknowns[iterationKey] // of held messages
	orphans                    codec.Unknowns[hash64]
	active, live               codec.Unknowns[hash64] // sessions
	copies                     codec.Unknowns[hash64]
	openBeforeReset, orphansOf codec.Unknowns[FileID]
	turns                      codec.Unknowns[FileID]
	timings, causes            codec.Unknowns[conversation]
	sideRequests               codec.Unknowns[FileID]
	runs                       codec.Unknowns[FileID]
	charges                    codec.Unknowns[hash64]
	versions                   codec.Unknowns[versionKey]
	labels, seen               codec.Unknowns[string] // by name, including names that this version does not know
	families                   []storedFamily
}

// An iterationKey identifies an iteration of a message.
type iterationKey struct {
	message transcript.Key
	index   int
}

// codeNamed visits parts of the ledger that are identified by name, which is field 1:
// describe visits a part with the index of its name in names, and parts with other
// names only have unknown fields. A missing part stays as it is. size returns about how
// many bytes a part takes.
func codeNamed(
	c *codec.Coder, n codec.Number, names []string, unknown *codec.Unknowns[string],
	size func(i int) int, describe func(c *codec.Coder, i int),
) {
	visit := func(c *codec.Coder, name *string) {
		unknown.Carry(c, *name)
		codec.String(c, 1, name)
		if i := slices.Index(names, *name); i >= 0 {
			describe(c, i)
		}
		unknown.Rest(c, *name)
	}
	if c.Reading() {
		*unknown = nil
		var all []string
		codec.Slice(c, n, &all, visit)
		if slices.Sort(all); len(slices.Compact(all)) < len(all) {
			c.Fail()
		}
		return
	}
	for i, name := range names {
		codec.Large(c, n, size(i), &name, visit)
	}
	for _, name := range slices.Sorted(maps.Keys(*unknown)) {
		if !slices.Contains(names, name) {
			codec.Large(c, n, len((*unknown)[name]), &name, visit)
		}
	}
}

// codeLabels visits the values that labels have had.
func (l *Ledger) codeLabels(c *codec.Coder) {
	codeNamed(c, 3, labelNames[:], &l.unknown.labels, func(int) int { return 0 }, func(c *codec.Coder, i int) {
		values := slices.Sorted(maps.Keys(l.labels[i].values))
		if codec.Strings(c, 2, &values); !c.Reading() {
			return
		}
		l.labels[i].values = make(map[string]struct{}, len(values))
		for j, v := range values {
			if j > 0 && v <= values[j-1] {
				c.Fail()
			}
			l.labels[i].values[v] = struct{}{}
		}
	})
}

// codeSeen visits the keys in l.seen.
func (l *Ledger) codeSeen(c *codec.Coder) {
	size := func(i int) int { return l.seen[i].SizeHint() }
	codeNamed(c, 17, seenNames[:], &l.unknown.seen, size, func(c *codec.Coder, i int) {
		codeMap(c, 2, &l.seen[i], nil)
	})
}
