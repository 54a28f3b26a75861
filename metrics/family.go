package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A family is one that is shown, with all that follows from the labels of its
// series. A series stays in its place, and only its numbers change, so that is
// found out once, when the series is seen first.
type family struct {
	ledger.FamilySamples
	sources *sourceLabels
	labels  []label // by name
	invalid error   // why no series can be shown
	known   int     // how many of the samples were looked at
	order   []int   // the samples that are shown, by the values of their labels
	errs    []error // why others are not

	births []uint64 // the scrape that was the first to show a sample; 0: one before the start
	seen   uint64   // the viewer's last scrape
	zero   ledger.Sample

	// The labels of every sample, as the formats write them.
	text, protobuf pieces
}

// A label is one that all series of a family have.
type label struct {
	name string
	at   int // place of its value in Sample.Labels, or ofSource
}

// ofSource says of a label that the source has its value.
const ofSource = -1

// What can be wrong with series.
var (
	errLabelName = errors.New("not the name of a label, or of two")
	errNotUTF8   = errors.New("a label is not UTF-8")
	errDuplicate = errors.New("there is another with the same labels")
)

func newFamily(f *ledger.Family, sources *sourceLabels) *family {
	made := &family{FamilySamples: ledger.FamilySamples{Family: f}, sources: sources}
	made.relabel()
	return made
}

// relabel begins anew with the labels that the sources add now.
func (f *family) relabel() {
	f.labels, f.invalid = f.labels[:0], nil
	for i, name := range f.Family.Labels {
		f.labels = append(f.labels, label{name, i})
	}
	if f.Family.Sourced {
		for _, name := range f.sources.names {
			f.labels = append(f.labels, label{name, ofSource})
		}
	}
	slices.SortFunc(f.labels, func(a, b label) int { return cmp.Compare(a.name, b.name) })
	for i, l := range f.labels {
		if !model.LegacyValidation.IsValidLabelName(l.name) || i > 0 && l.name == f.labels[i-1].name {
			f.invalid = fmt.Errorf("show %s: %w: %q", f.Family.Name, errLabelName, l.name)
		}
	}
	f.reset()
}

// reset forgets all series.
func (f *family) reset() {
	f.known, f.order, f.errs = 0, f.order[:0], nil
	f.text.reset()
	f.protobuf.reset()
}

// update looks at the series that are new.
func (f *family) update() {
	if f.invalid != nil {
		return
	}
	for ; f.known < len(f.Samples); f.known++ {
		if err := f.add(f.known); err != nil {
			f.errs = append(f.errs, fmt.Errorf("show %s%q: %w", f.Family.Name, f.Samples[f.known].Labels, err))
		}
	}
}

// add puts a sample in order.
func (f *family) add(i int) error {
	for _, l := range f.labels {
		if !utf8.ValidString(f.value(i, l)) {
			return errNotUTF8
		}
	}
	at, found := slices.BinarySearchFunc(f.order, i, f.compare)
	if found {
		return errDuplicate
	}
	f.order = slices.Insert(f.order, at, i)
	return nil
}

// compare tells the order of two samples, as the client library has it.
func (f *family) compare(i, j int) int {
	for _, l := range f.labels {
		if c := cmp.Compare(f.value(i, l), f.value(j, l)); c != 0 {
			return c
		}
	}
	return 0
}

// showTo begins a scrape by somebody who has seen those up to another one.
func (f *family) showTo(scrape, seen uint64) {
	f.seen = seen
	for i := len(f.births); i < len(f.Samples) && f.Family.Type != ledger.Gauge; i++ {
		birth := scrape
		if !f.Samples[i].New {
			birth = 0
		}
		f.births = append(f.births, birth)
	}
}

// sample returns the numbers of a sample as the viewer is shown them: nothing yet,
// save when it began, if it is new to it.
func (f *family) sample(i int) *ledger.Sample {
	s := &f.Samples[i]
	if f.Family.Type == ledger.Gauge || f.births[i] <= f.seen {
		return s
	}
	f.zero.Created = s.Created
	f.zero.Counts = append(f.zero.Counts[:0], s.Counts...)
	clear(f.zero.Counts)
	return &f.zero
}

// value is that of a label of a sample.
func (f *family) value(i int, l label) string {
	s := &f.Samples[i]
	if l.at == ofSource {
		return f.sources.of[s.Source][l.name]
	}
	return s.Labels[l.at]
}

// pieces are some bytes for each sample of a family, one after another.
type pieces struct {
	bytes []byte
	ends  []int
}

func (p *pieces) reset() { p.bytes, p.ends = p.bytes[:0], p.ends[:0] }

// fill makes, with add, those that are missing of the family's samples.
func (p *pieces) fill(f *family, add func(to []byte, f *family, i int) []byte) {
	for i := len(p.ends); i < len(f.Samples); i++ {
		p.bytes = add(p.bytes, f, i)
		p.ends = append(p.ends, len(p.bytes))
	}
}

// of returns the piece of a sample.
func (p *pieces) of(i int) []byte {
	if i == 0 {
		return p.bytes[:p.ends[0]]
	}
	return p.bytes[p.ends[i-1]:p.ends[i]]
}
