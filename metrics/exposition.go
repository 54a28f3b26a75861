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
// returns false while there is nothing that may be exposed. It is given one
// snapshot again and again, and fills it as a ledger does: what is in a place
// stays there, and only its numbers change.
type Source interface {
	Fill(s *ledger.Snapshot) bool
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

// Append appends to page what a scrape exposes, in one of the formats that
// expfmt.NegotiateAccept chooses by default. With an error, it is everything
// that is not wrong.
func (e *Exposition) Append(page []byte, format expfmt.Format) ([]byte, error) {
	encode := encodingFor(format)
	if encode == nil {
		return e.appendDecoded(page, format)
	}
	page, _, err := e.append(page, format, encode)
	return page, err
}

// append reports, too, whether the source exposes anything.
func (e *Exposition) append(page []byte, format expfmt.Format, encode encoding) (_ []byte, ready bool, err error) {
	own, err := e.Registry.Gather()
	e.mu.Lock()
	defer e.mu.Unlock()
	to := buffer(page)
	families := e.counted.update(e.Source, e.maxSessions())
	err = errors.Join(err, e.write(&to, encode, expfmt.NewEncoder(&to, format), own, families))
	return to, families != nil, err
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

// Gather returns what a scrape exposes. While the source exposes nothing it returns
// nothing at all.
func (e *Exposition) Gather() ([]*dto.MetricFamily, error) {
	format := expfmt.NewFormat(expfmt.TypeProtoDelim)
	page, ready, err := e.append(nil, format, appendProtobuf)
	if !ready {
		return nil, err
	}
	return decode(page, format, err)
}

func decode(page []byte, format expfmt.Format, err error) (families []*dto.MetricFamily, _ error) {
	decoder := expfmt.NewDecoder(bytes.NewReader(page), format)
	for {
		f := new(dto.MetricFamily)
		switch end := decoder.Decode(f); {
		case errors.Is(end, io.EOF):
			return families, err
		case end != nil:
			return families, errors.Join(err, fmt.Errorf("decode metrics: %w", end))
		}
		families = append(families, f)
	}
}

// appendDecoded appends what a scrape shows in the formats that only people ask
// for.
func (e *Exposition) appendDecoded(page []byte, format expfmt.Format) ([]byte, error) {
	families, err := e.Gather()
	to := buffer(page)
	encoder := expfmt.NewEncoder(&to, format)
	for _, f := range families {
		err = errors.Join(err, encoder.Encode(f))
	}
	return to, err
}

// WriteText writes what a scrape exposes in the text format of Prometheus, version
// 0.0.4. Where something is wrong nothing is written.
func (e *Exposition) WriteText(w io.Writer) error {
	page, err := e.Append(nil, expfmt.NewFormat(expfmt.TypeTextPlain))
	if err != nil {
		return fmt.Errorf("gather metrics: %w", err)
	}
	if _, err := w.Write(page); err != nil {
		return fmt.Errorf("write metrics: %w", err)
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
