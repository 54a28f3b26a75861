package ledger

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

const (
	// shownVersions is the number of versions of each source that a snapshot shows.
	shownVersions = 8
	// keptVersions is the number of versions of each source that are kept when there are
	// more than twice as many. A line can state any version.
	keptVersions = 64
	// versionAge is for how many days before the newest request of its source a version
	// counts as used.
	versionAge = 30
)

// versions are the versions of Claude Code that made requests.
type versions struct {
	basic
	used    *table.Table[versionKey, int64] // the day of the latest request of each
	sources map[SourceLabels]sourceVersions // derived from used
}

// sourceVersions describes the versions of a source.
type sourceVersions struct {
	count          int
	oldest, newest int64 // days in used; oldest may be too early until reindex
}

func (s *sourceVersions) add(day int64) {
	if s.count++; s.count == 1 {
		s.oldest = day
	}
	s.oldest, s.newest = min(s.oldest, day), max(s.newest, day)
}

func newVersions(c *core) *versions {
	return &versions{
		basic: basic{c}, sources: make(map[SourceLabels]sourceVersions),
		used: table.New(c.tables, tableVersions, table.PairKey(table.StringKey[SourceLabels](), table.StringKey[string]()), func(c *table.Coder, day *int64) { table.Int(c, 1, day) }),
	}
}

// countLine records the version of Claude Code that made the request in a line.
func (v *versions) countLine(l *line, e *transcript.Entry) {
	if e.Message != nil && e.Message.Version != "" && e.Time == l.when { // its own time
		v.add(e.Message.Version, l.source, e.Time)
	}
}

// A versionKey is the labels of a source and a version.
type versionKey = table.Pair[SourceLabels, string]

// compareVersions orders keys by source, and the versions of a source from the newest
// on.
func compareVersions(k, o versionKey) int {
	return cmp.Or(cmp.Compare(k.A, o.A), parseVersion(o.B).compare(parseVersion(k.B)), cmp.Compare(k.B, o.B))
}

// A UsedVersion is a version of Claude Code that recently made a request.
type UsedVersion struct {
	Version string
	Source  SourceLabels
}

// add records a request of a version. Most requests are of versions that are known, or
// too old to matter.
func (v *versions) add(text string, source SourceLabels, when int64) {
	key, day := versionKey{A: source, B: text}, dayOf(when)
	last, known := v.used.Get(key)
	if known && day <= last || !known && (!v.isRecent(source, day) || !transcript.IsVersion(text)) {
		return
	}
	key.B = strings.Clone(text) // text may be a part of a long line
	of := v.sources[source]
	if v.used.Put(key, day); !known {
		of.add(day)
	}
	of.newest = max(of.newest, day)
	v.sources[source] = of
	if !v.isRecent(source, of.oldest) {
		v.dropUnused()
	}
	if v.sources[source].count > 2*keptVersions {
		v.dropLowest(source)
	}
}

// isRecent reports whether a version that a source last used on a day counts as used.
func (v *versions) isRecent(source SourceLabels, day int64) bool {
	return day >= v.sources[source].newest-versionAge
}

// dropUnused drops the versions that are no longer used.
func (v *versions) dropUnused() {
	table.DeleteFunc(v.used, func(k versionKey, last int64) bool { return !v.isRecent(k.A, last) })
	v.reindex()
}

// dropLowest drops all but the highest versions of a source.
func (v *versions) dropLowest(source SourceLabels) {
	var keys []versionKey
	for key := range v.used.All() {
		if key.A == source {
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, compareVersions)
	for _, key := range keys[keptVersions:] {
		v.used.Delete(key)
	}
	v.reindex()
}

// recent returns the versions that are still used, sorted.
func (v *versions) recent() (keys []versionKey) {
	for key, last := range v.used.All() {
		if v.isRecent(key.A, last) {
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, compareVersions)
	return keys
}

// shown appends the newest versions of each source to to[:0].
func (v *versions) shown(to []UsedVersion) []UsedVersion {
	to = to[:0]
	n := 0
	for i, key := range v.recent() {
		if n++; i > 0 && to[len(to)-1].Source != key.A {
			n = 1
		}
		if n <= shownVersions {
			to = append(to, UsedVersion{key.B, key.A})
		}
	}
	return to
}

// reindex rebuilds sources.
func (v *versions) reindex() bool {
	clear(v.sources)
	for key, last := range v.used.All() {
		of := v.sources[key.A]
		of.add(last)
		v.sources[key.A] = of
	}
	return true
}

// A version is the numbers of a version of Claude Code. Missing numbers are 0.
type version [3]int

// parseVersion returns the numbers of a valid version.
func parseVersion(text string) (v version) {
	for i := range v {
		var number string
		number, text, _ = strings.Cut(text, ".")
		v[i], _ = strconv.Atoi(number)
	}
	return v
}

func (v version) compare(o version) int { return slices.Compare(v[:], o[:]) }
