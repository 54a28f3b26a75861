package usage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
)

// A Query selects a part of the record.
type Query struct {
	// Since and Until limit the time: intervals that begin at Since or later and before
	// Until. A zero time is no limit.
	Since, Until time.Time
	// Step is the length of the periods; empty is Total.
	Step Step
	// Location is the time zone of days; nil is UTC.
	Location *time.Location
	// By are the names of the labels to group by.
	By []string
	// Where maps the names of labels to the values to select.
	Where map[string][]string
	// Only are the measures to add up; empty is all.
	Only []Measure
}

// maxRows is the maximum number of rows of a Usage.
const maxRows = 50_000

// labelsOf returns the names of all labels that a query can have, sorted.
func labelsOf(h *counters.History) []string {
	names := make(map[string]bool)
	for i := range h.Families {
		f := &h.Families[i]
		if len(measuresOf(f.Family.Name)) == 0 {
			continue
		}
		for _, name := range labelsOfFamily(f.Family) {
			names[name] = true
		}
		sources := make(map[counters.SourceLabels]bool)
		for j := range f.Series {
			sources[f.Series[j].Source] = true
		}
		for source := range sources {
			for name := range source.Labels() {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// hasLabel reports whether a family has a label. Labels of sources belong to no family.
func hasLabel(h *counters.History, name string) bool {
	return slices.ContainsFunc(h.Families, func(f counters.FamilyHistory) bool { return slices.Contains(labelsOfFamily(f.Family), name) })
}

// check returns an error if the query names a label that is not known, or labels that
// no measure has together.
func (q *Query) check(h *counters.History, known []string) error {
	names := slices.Concat(q.By, slices.Sorted(maps.Keys(q.Where)))
	var ofFamilies []string // every family can have the labels of sources
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("unknown label %q: use one of %s", name, strings.Join(known, ", "))
		}
		if hasLabel(h, name) && !slices.Contains(ofFamilies, name) {
			ofFamilies = append(ofFamilies, name)
		}
	}
	if len(ofFamilies) > 0 && !slices.ContainsFunc(h.Families, func(f counters.FamilyHistory) bool {
		missing := func(name string) bool { return !slices.Contains(labelsOfFamily(f.Family), name) }
		return len(q.selectMeasures(f.Family.Name)) > 0 && !slices.ContainsFunc(ofFamilies, missing)
	}) {
		return fmt.Errorf("no metric has the labels %s: use fewer labels", strings.Join(ofFamilies, " and "))
	}
	return nil
}

// A selector selects the series of one family, and returns their values of Query.By.
type selector struct {
	query   *Query
	labels  []string                                    // of the family, see labelsOfFamily
	sources map[counters.SourceLabels]map[string]string // labels
	models  map[string]string                           // names by id
	values  []string                                    // of the last call of group
}

// newSelector returns a selector for a family. ok is false if the family does not have
// the labels of the query, whatever the source.
func newSelector(q *Query, f *counters.FamilyHistory) (s *selector, ok bool) {
	s = &selector{
		query: q, labels: labelsOfFamily(f.Family),
		sources: make(map[counters.SourceLabels]map[string]string), models: make(map[string]string),
	}
	has := make(map[string]bool)
	for _, name := range s.labels {
		has[name] = true
	}
	for i := range f.Series {
		source := f.Series[i].Source
		if s.sources[source] == nil {
			s.sources[source] = source.Labels()
			for name := range s.sources[source] {
				has[name] = true
			}
		}
	}
	missing := func(name string) bool { return !has[name] }
	return s, !slices.ContainsFunc(q.By, missing) && !slices.ContainsFunc(slices.Collect(maps.Keys(q.Where)), missing)
}

// value returns a label of a series, "" if its source does not have the label.
func (s *selector) value(series *counters.SeriesHistory, name string) string {
	if name == ModelNameLabel && slices.Contains(s.labels, ModelNameLabel) {
		return s.modelName(s.value(series, ModelLabel))
	}
	if i := slices.Index(s.labels, name); i >= 0 {
		return series.Labels[i]
	}
	return s.sources[series.Source][name]
}

// modelName returns the name of the model with an id. A family has many series of each.
func (s *selector) modelName(id string) string {
	name, known := s.models[id]
	if !known {
		name = ModelName(id)
		s.models[id] = name
	}
	return name
}

// group returns the values of Query.By of a series, or ok false if the series is not
// selected. They are valid until the next call.
func (s *selector) group(series *counters.SeriesHistory) (values []string, ok bool) {
	for name, wanted := range s.query.Where {
		if !slices.Contains(wanted, s.value(series, name)) {
			return nil, false
		}
	}
	s.values = s.values[:0]
	for _, name := range s.query.By {
		s.values = append(s.values, s.value(series, name))
	}
	return s.values, true
}

// selectMeasures returns the measures of a family that the query selects.
func (q *Query) selectMeasures(family string) []Measure {
	measures := measuresOf(family)
	if len(q.Only) == 0 {
		return measures
	}
	return slices.DeleteFunc(measures, func(m Measure) bool { return !slices.Contains(q.Only, m) })
}
