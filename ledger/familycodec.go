package ledger

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/codec"
)

// A storedFamily is a family as it is saved. It goes by its name, or by one that it
// had before, whatever its place in the list of families.
type storedFamily struct {
	name     string
	formerly []string
	typ      uint32
	labels   []string
	buckets  []float64
	series   []series
	table    *table // nil if this version does not know the family
	unknown  []byte // fields; all but the name of a family that is not known
	extra    codec.Unknowns[*series]
}

// codeFamilies visits the series, family by family. One that is missing stays as it
// is: it is newer than what was saved.
func (l *Ledger) codeFamilies(c *codec.Coder) {
	if !c.Reading() {
		all := make([]storedFamily, 0, len(l.tables)+len(l.unknown.families))
		for i := range l.tables {
			all = append(all, l.tables[i].stored())
		}
		all = append(all, l.unknown.families...)
		codec.Slice(c, 26, &all, l.codeFamily)
		return
	}
	var all []storedFamily
	codec.Slice(c, 26, &all, l.codeFamily)
	l.unknown.families = nil
	names, begun := make(map[string]bool), make(map[*table]bool)
	for i := range all {
		f := &all[i]
		if names[f.name] {
			c.Fail()
			return
		}
		names[f.name] = true
		if f.table == nil {
			l.unknown.families = append(l.unknown.families, *f)
			continue
		}
		if !begun[f.table] {
			begun[f.table] = true
			f.table.reset(f, all[i:])
		}
		if !f.table.load(f) {
			c.Fail()
			return
		}
	}
	for i := range l.tables {
		l.tables[i].missing = !begun[&l.tables[i]]
	}
}

// numberNewFamilies numbers the series of families that are newer than what was read,
// which are at zero. It begins no call: the steps that are repeated next have the
// numbers that they had in the version that wrote them.
func (l *Ledger) numberNewFamilies() {
	for i := range l.tables {
		t := &l.tables[i]
		if !t.missing || t.Type == Gauge {
			continue
		}
		for _, s := range t.series {
			l.zeroFirst.number(s)
		}
	}
}

func (l *Ledger) codeFamily(c *codec.Coder, f *storedFamily) {
	c.Unknown(&f.unknown)
	codec.String(c, 1, &f.name)
	codec.Strings(c, 2, &f.formerly)
	if c.Reading() {
		f.table = l.tableOf(f)
	}
	if f.table == nil {
		return
	}
	codec.Uint(c, 3, &f.typ)
	if c.Reading() && c.Err() == nil && f.typ != uint32(f.table.Type) { //nolint:gosec // there are three
		c.Unsupported("family %s of type %d", f.name, f.typ)
	}
	codec.Strings(c, 4, &f.labels)
	codec.Floats(c, 5, &f.buckets)
	if c.Reading() {
		codec.Slice(c, 6, &f.series, f.codeSeries)
		return
	}
	byID := slices.Sorted(maps.Keys(f.table.series))
	codec.Slice(c, 6, &byID, func(c *codec.Coder, id *string) { f.codeSeries(c, f.table.series[*id]) })
}

func (f *storedFamily) codeSeries(c *codec.Coder, s *series) {
	f.extra.Carry(c, s)
	codec.Strings(c, 1, &s.labels)
	codec.String(c, 2, &s.source)
	codec.Uint(c, 3, &s.value)
	codec.Uint(c, 4, &s.sum)
	codec.Uints(c, 5, &s.counts)
	codec.Int(c, 6, &s.created)
	codec.Uint(c, 7, &s.number)
	f.extra.Rest(c, s)
}

// stored returns the table as it is saved. Its series are written from the table.
func (t *table) stored() storedFamily {
	return storedFamily{
		name: t.Name, formerly: t.Formerly, typ: uint32(t.Type), //nolint:gosec // there are three
		labels: slices.Concat(t.Labels, t.foreign), buckets: t.Buckets, table: t, unknown: t.unknown, extra: t.extra,
	}
}

// tableOf returns the table of a family that was saved by a version in which it had
// this name or another one, or nil.
func (l *Ledger) tableOf(f *storedFamily) *table {
	for _, same := range []func(t *table) bool{
		func(t *table) bool { return t.Name == f.name },
		func(t *table) bool { return slices.Contains(t.Formerly, f.name) },
		func(t *table) bool { return slices.Contains(f.formerly, t.Name) },
	} {
		for i := range l.tables {
			if same(&l.tables[i]) {
				return &l.tables[i]
			}
		}
	}
	return nil
}

// begin empties the table for what is saved of it in all: mostly in one family, but
// in two where a version that did not know a new name began the old one again.
func (t *table) reset(first *storedFamily, all []storedFamily) {
	t.series = make(map[string]*series, len(first.series))
	t.Buckets, t.foreign, t.unknown, t.extra = first.buckets, nil, nil, nil
	for i := range all {
		if all[i].table != t {
			continue
		}
		for _, label := range all[i].labels {
			if !slices.Contains(t.Labels, label) && !slices.Contains(t.foreign, label) {
				t.foreign = append(t.foreign, label)
			}
		}
	}
}

// take enters what is saved in one family. It reports false if that is not sound.
func (t *table) load(f *storedFamily) bool {
	names := slices.Concat(t.Labels, t.foreign)
	from := make([]int, len(names)) // where in f.labels a label is, or -1
	for i, name := range names {
		from[i] = slices.Index(f.labels, name)
	}
	ids := make(map[string]struct{}, len(f.series))
	for i := range f.series {
		s := &f.series[i]
		if len(s.labels) != len(f.labels) || !t.validCounts(s, f.buckets) {
			return false
		}
		labels := s.labels
		if !slices.Equal(names, f.labels) {
			labels = make([]string, len(names))
			for j, at := range from {
				if at >= 0 {
					labels[j] = s.labels[at]
				}
			}
		}
		s.labels = labels
		id := string(seriesID(nil, s.source, labels))
		if _, again := ids[id]; again {
			return false
		}
		ids[id] = struct{}{}
		if !slices.Equal(f.buckets, t.Buckets) {
			s.counts = rebucket(f.buckets, s.counts, t.Buckets)
		}
		if has := t.series[id]; has != nil {
			has.merge(s, t.Type)
			continue
		}
		t.series[id] = s
	}
	if t.unknown == nil {
		t.unknown = f.unknown
	}
	if t.extra == nil {
		t.extra = f.extra
	} else {
		maps.Copy(t.extra, f.extra)
	}
	return true
}

// shaped reports whether a series with such buckets is one of this family's type.
func (t *table) validCounts(s *series, buckets []float64) bool {
	if t.Type != Histogram {
		return len(s.counts) == 0
	}
	return len(s.counts) == len(buckets)+1
}

// merge adds what another series of the same family has counted.
func (s *series) merge(other *series, t Type) {
	if t == Gauge {
		s.value = max(s.value, other.value)
	} else {
		s.value = sum(s.value, other.value)
	}
	s.sum = sum(s.sum, other.sum)
	for i, n := range other.counts {
		s.counts[i] = sum(s.counts[i], n)
	}
	s.created = min(s.created, other.created)
	s.number = min(s.number, other.number) // one that was exposed stays so
}
