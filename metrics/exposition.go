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
// stays there, and only its numbers change: neither labels nor created timestamps.
type Provider interface {
	SnapshotInto(s *ledger.Snapshot) bool
}

// DefaultMaxSessions is the number of live sessions whose context is exposed
// unless an Exposition is told otherwise.
const DefaultMaxSessions = 200

// An Exposition is everything that a scrape exposes: what a source has counted,
// and the families of a registry, none of which may have the name of one of the
// source. It is a [prometheus.TransactionalGatherer]. It may be used by several
// goroutines at once; its fields must not be changed after the first use.
type Exposition struct {
	Source   Provider
	Registry *prometheus.Registry
	// MaxSessions is asked in every scrape how many live sessions are exposed with
	// the size of their context, the newest first. Nil stands for
	// DefaultMaxSessions.
	MaxSessions func() int

	mu    sync.Mutex
	cache cache // guarded by mu
}

// Gather returns the families of one moment, sorted by name; with an error, those
// that are not wrong. While the source exposes nothing it returns nothing at all.
// Families are used again by the next call, which waits until done is called, once.
func (e *Exposition) Gather() (families []*dto.MetricFamily, done func(), err error) {
	own, err := e.Registry.Gather()
	e.mu.Lock()
	if !e.cache.update(e.Source, e.maxSessions()) {
		e.mu.Unlock()
		return nil, func() {}, nil
	}
	families, invalid := e.cache.appendTo(own)
	return families, e.mu.Unlock, errors.Join(err, invalid)
}

func (e *Exposition) maxSessions() int {
	if e.MaxSessions == nil {
		return DefaultMaxSessions
	}
	return e.MaxSessions()
}

// WriteText writes what a scrape exposes in the text format of Prometheus, version
// 0.0.4. Where something is wrong nothing is written.
func (e *Exposition) WriteText(w io.Writer) error {
	families, done, err := e.Gather()
	defer done()
	if err != nil {
		return fmt.Errorf("gather metrics: %w", err)
	}
	var page bytes.Buffer
	encoder := expfmt.NewEncoder(&page, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return fmt.Errorf("encode metrics: %w", err)
		}
	}
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}
