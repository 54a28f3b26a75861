package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A Source fills a snapshot with one consistent moment of what was counted, or
// returns false while there is nothing that may be shown. It is given one
// snapshot again and again, and fills it as a ledger does: what is in a place
// stays there, and only its numbers change.
//
// Who looks has a name. Once it is known that what it was shown has arrived, the
// source is told so, with Snapshot.Showing.
type Source interface {
	Fill(s *ledger.Snapshot, viewer string) bool
	Saw(viewer string, showing uint64)
}

// DefaultMaxSessions is the number of live sessions whose context is shown
// unless an Exposition is told otherwise.
const DefaultMaxSessions = 200

// An Exposition is everything that a scrape shows: what a source has counted,
// and the families of a registry. It may be used by several goroutines at once;
// its fields must not be changed after the first use.
type Exposition struct {
	Source   Source
	Registry *prometheus.Registry
	// MaxSessions is asked in every scrape how many live sessions are shown with
	// the size of their context, the newest first. Nil stands for
	// DefaultMaxSessions.
	MaxSessions func() int

	mu      sync.Mutex
	counted counted // guarded by mu
}

// errTwice says that the registry has a family that the source has too.
var errTwice = errors.New("it is registered, and counted under the same name")

// Append appends to page what a scrape by a viewer shows, in one of the formats
// that expfmt.NegotiateAccept chooses by default. With an error, it is everything
// that is not wrong. Whoever looks calls arrived once the viewer has the page; it is
// nil while the source shows nothing.
func (e *Exposition) Append(page []byte, format expfmt.Format, viewer string) (_ []byte, arrived func(), err error) {
	encode := encodingFor(format)
	if encode == nil {
		return e.appendDecoded(page, format, viewer)
	}
	return e.append(page, format, encode, viewer)
}

func (e *Exposition) append(page []byte, format expfmt.Format, encode encoding, viewer string) (_ []byte, arrived func(), err error) {
	own, err := e.Registry.Gather()
	e.mu.Lock()
	defer e.mu.Unlock()
	to := buffer(page)
	families := e.counted.update(e.Source, viewer, e.maxSessions())
	if families != nil {
		showing := e.counted.snapshot.Showing
		arrived = func() { e.Source.Saw(viewer, showing) }
	}
	err = errors.Join(err, e.write(&to, encode, expfmt.NewEncoder(&to, format), own, families))
	return to, arrived, err
}

// write writes what is counted, and own, both of which are sorted by name.
func (e *Exposition) write(to *buffer, encode encoding, rest expfmt.Encoder, own []*dto.MetricFamily, families []*family) error {
	var errs []error
	for _, f := range families {
		errs = append(append(errs, f.invalid), f.errs...)
		if len(f.order) == 0 {
			continue
		}
		name := f.Family.Name
		for len(own) > 0 && own[0].GetName() < name {
			errs = append(errs, rest.Encode(own[0]))
			own = own[1:]
		}
		if len(own) > 0 && own[0].GetName() == name {
			errs = append(errs, fmt.Errorf("show %s of the registry: %w", name, errTwice))
			own = own[1:]
		}
		*to = encode(*to, f)
	}
	for _, f := range own {
		errs = append(errs, rest.Encode(f))
	}
	if end, ok := rest.(expfmt.Closer); ok {
		errs = append(errs, end.Close())
	}
	return errors.Join(errs...)
}

func (e *Exposition) maxSessions() int {
	if e.MaxSessions == nil {
		return DefaultMaxSessions
	}
	return e.MaxSessions()
}

// Gather returns what a scrape shows, as prometheus.Gatherer has it, to a viewer
// without a name who has it at once.
func (e *Exposition) Gather() ([]*dto.MetricFamily, error) {
	families, arrived, err := e.GatherFor("")
	if arrived != nil {
		arrived()
	}
	return families, err
}

// GatherFor returns the families that Append appends to a page.
func (e *Exposition) GatherFor(viewer string) (families []*dto.MetricFamily, arrived func(), err error) {
	format := expfmt.NewFormat(expfmt.TypeProtoDelim)
	page, arrived, err := e.append(nil, format, appendProtobuf, viewer)
	decoder := expfmt.NewDecoder(bytes.NewReader(page), format)
	for {
		f := new(dto.MetricFamily)
		switch end := decoder.Decode(f); {
		case errors.Is(end, io.EOF):
			return families, arrived, err
		case end != nil:
			return families, arrived, errors.Join(err, fmt.Errorf("decode metrics: %w", end))
		}
		families = append(families, f)
	}
}

// appendDecoded appends what a scrape shows in the formats that only people ask
// for.
func (e *Exposition) appendDecoded(page []byte, format expfmt.Format, viewer string) (_ []byte, arrived func(), err error) {
	families, arrived, err := e.GatherFor(viewer)
	to := buffer(page)
	encoder := expfmt.NewEncoder(&to, format)
	for _, f := range families {
		err = errors.Join(err, encoder.Encode(f))
	}
	return to, arrived, err
}

// WriteText writes what a scrape shows in the text format of Prometheus, version
// 0.0.4, to a viewer without a name who has it once it is written. Where something
// is wrong nothing is.
func (e *Exposition) WriteText(w io.Writer) error {
	page, arrived, err := e.Append(nil, expfmt.NewFormat(expfmt.TypeTextPlain), "")
	if err != nil {
		return fmt.Errorf("gather metrics: %w", err)
	}
	if _, err := w.Write(page); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	if arrived != nil {
		arrived()
	}
	return nil
}

// An encoding appends a family to a page.
type encoding func(to []byte, f *family) []byte

// encodingFor returns the encoding of a format, nil where there is none.
func encodingFor(format expfmt.Format) encoding {
	switch format.FormatType() {
	case expfmt.TypeTextPlain:
		return textFormat{}.append
	case expfmt.TypeOpenMetrics:
		return textFormat{openMetrics: true}.append
	case expfmt.TypeProtoDelim:
		return appendProtobuf
	default:
		return nil
	}
}

// A buffer is written to by appending.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
