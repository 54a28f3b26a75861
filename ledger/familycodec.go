package ledger

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/state/codec"
)

// A storedFamily is a family as it is saved. It is identified by its name or one of its
// former names, whatever its index in the list of families.
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

// codeFamilies visits the series, family by family. A missing family stays as it is: it
// is newer than the saved state.
func (l *Ledger) codeFamilies(c *codec.Coder) {
	var all []storedFamily
	if !c.Reading() {
		for i := range l.tables {
			all = append(all, l.tables[i].stored())
		}
		all = append(all, l.unknown.families...)
	}
	codec.Slice(c, 26, &all, l.codeFamily)
	if c.Reading() && !l.loadFamilies(all) {
		c.Fail()
	}
}

// loadFamilies replaces the series with the saved ones. It returns false if they
// are not valid.
func (l *Ledger) loadFamilies(all []storedFamily) bool {
	l.unknown.families = nil
	names, loaded := make(map[string]bool), make(map[*table]bool)
	for i := range all {
		f := &all[i]
		if names[f.name] {
			return false
		}
		names[f.name] = true
		if f.table == nil {
			l.unknown.families = append(l.unknown.families, *f)
			continue
		}
		if !loaded[f.table] {
			loaded[f.table] = true
			f.table.reset(f, all[i:])
		}
		if !f.table.load(f) {
			return false
		}
	}
	for i := range l.tables {
		l.tables[i].missing = !loaded[&l.tables[i]]
	}
	return true
}

// numberNewFamilies numbers the series of families that are newer than what was read,
// which are at zero. It does not begin a call: the steps that are replayed next have
// the numbers that they had in the version that wrote them.
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
	codec.Slice(c, 6, &byID, func(c *codec.Coder, id *string) {
		s := f.table.series[*id]
		s.increases.merge(l.fineFrom)
		if s.late != nil {
			s.late.merge(l.fineFrom)
		}
		f.codeSeries(c, s)
	})
}

func (f *storedFamily) codeSeries(c *codec.Coder, s *series) {
	f.extra.Carry(c, s)
	codec.Strings(c, 1, &s.Labels)
	codec.String(c, 2, &s.Source)
	codec.Uint(c, 3, &s.Value)
	codec.Uint(c, 4, &s.Sum)
	codec.Uints(c, 5, &s.Counts)
	codec.Int(c, 6, &s.Created)
	codec.Uint(c, 7, &s.number)
	codec.Bytes(c, 8, &s.increases.packed)
	late := cmp.Or(s.late, new(increases))
	if codec.Bytes(c, 9, &late.packed); len(late.packed) > 0 {
		s.late = late
	}
	if f.table.Type == Histogram {
		codeNative(c, &s.Native)
	}
	f.extra.Rest(c, s)
}

// stored returns the table as it is saved. Its series are written from the table.
func (t *table) stored() storedFamily {
	return storedFamily{
		name: t.Name, formerly: t.Formerly, typ: uint32(t.Type), //nolint:gosec // there are three
		labels: slices.Concat(t.Labels, t.foreign), buckets: t.Buckets, table: t, unknown: t.unknown, extra: t.extra,
	}
}

// tableOf returns the table of a family that was saved under its present name or
// another one, or nil.
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

// reset empties the table before its saved families are loaded. There is mostly one,
// but two if a version that did not know a new name began the old one again.
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

// load adds the series of one saved family. It reports false if they are not valid.
func (t *table) load(f *storedFamily) bool {
	names := slices.Concat(t.Labels, t.foreign)
	wantCounts := 0
	if t.Type == Histogram {
		wantCounts = len(f.buckets) + 1
	}
	ids := make(map[string]bool, len(f.series))
	for i := range f.series {
		s := &f.series[i]
		if len(s.Labels) != len(f.labels) || len(s.Counts) != wantCounts || !s.increases.load(s.Value, s.Sum) ||
			s.late != nil && !s.late.load(s.Value, s.Sum) || !s.checkNative() {
			return false
		}
		s.Labels = reordered(s.Labels, f.labels, names)
		id := string(seriesID(nil, s.Source, s.Labels))
		if ids[id] {
			return false
		}
		ids[id] = true
		if !slices.Equal(f.buckets, t.Buckets) {
			s.Counts = rebucket(f.buckets, s.Counts, t.Buckets)
		}
		if known := t.series[id]; known != nil {
			known.merge(s, t.Type)
		} else {
			t.series[id] = s
		}
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

// reordered returns the values of labels in the order of other names. Those that were
// not saved are empty.
func reordered(values, saved, names []string) []string {
	if slices.Equal(saved, names) {
		return values
	}
	all := make([]string, len(names))
	for i, name := range names {
		if at := slices.Index(saved, name); at >= 0 {
			all[i] = values[at]
		}
	}
	return all
}

// merge adds the numbers of another series of the same family.
func (s *series) merge(other *series, t Type) {
	value, total := s.Value, s.Sum
	s.add(&other.Sample, t)
	s.increases.addAll(&other.increases, s.Value-value, s.Sum-total, 0) // the boundary is read later
	s.late = s.late.with(other.late, s.Value-value, s.Sum-total, 0)
	s.Created = min(s.Created, other.Created)
	s.number = min(s.number, other.number) // one that was exposed stays so
}
