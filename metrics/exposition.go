package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A Provider fills a snapshot with the counts of one consistent moment, or returns
// false while nothing may be exposed. It receives the same snapshot every time and
// fills it like a ledger: a sample keeps its index, labels and created timestamp, and
// only its numbers change.
type Provider interface {
	SnapshotInto(s *ledger.Snapshot) bool
}

// DefaultMaxSessions is the number of live sessions of each source exposed if an
// Exposition has no MaxSessions.
const DefaultMaxSessions = 200

// An Exposition contains everything that a scrape exposes: the counts of a provider and
// the families of a registry, whose names must differ. It is a
// [prometheus.TransactionalGatherer] and safe for concurrent use; its fields must not
// be changed after the first use.
type Exposition struct {
	Provider Provider
	Registry *prometheus.Registry
	// MaxSessions returns the number of live sessions of each source to expose with the
	// size of their context, the newest first. Every scrape calls it. Nil means
	// DefaultMaxSessions.
	MaxSessions func() int
	// Limits returns how full the usage limits are. Every scrape calls it. Optional.
	Limits func() []limits.Window
	// Running returns the sessions whose processes run. Every scrape calls it. Optional.
	Running func() []RunningSessions

	mu    sync.Mutex
	cache cache // guarded by mu

	gathered atomic.Int64 // number of calls of Gather that returned families
}

// IsUsed reports whether a server receives the counters: by scrapes, or by remote
// write. A single scrape may be a person's.
func (e *Exposition) IsUsed() bool { return e.gathered.Load() > 1 }

// Gather returns the families of one moment, sorted by name; with an error, only the
// valid families. While the provider exposes nothing it returns no families at all.
// Call done exactly once: the next Gather blocks until then, and reuses the families.
func (e *Exposition) Gather() (families []*dto.MetricFamily, done func(), err error) {
	own, err := e.Registry.Gather()
	own = slices.DeleteFunc(own, repeatsFamily)
	e.mu.Lock()
	if !e.cache.update(e.Provider, e.maxSessions(), optional(e.Limits), optional(e.Running)) {
		e.mu.Unlock()
		return nil, func() {}, nil
	}
	e.gathered.Add(1)
	families, invalid := e.cache.appendTo(own)
	return families, e.mu.Unlock, errors.Join(err, invalid)
}

// repeatsFamily reports whether a family of client_golang has the name of another
// family in OpenMetrics, where counters have no suffix. Parsers reject that.
func repeatsFamily(f *dto.MetricFamily) bool { return f.GetName() == "go_memstats_alloc_bytes_total" }

func (e *Exposition) maxSessions() int {
	if e.MaxSessions == nil {
		return DefaultMaxSessions
	}
	return e.MaxSessions()
}

// optional calls a function that may be nil.
func optional[T any](f func() []T) []T {
	if f == nil {
		return nil
	}
	return f()
}

// WriteText writes everything that a scrape exposes in the Prometheus text format,
// version 0.0.4. It writes nothing if there is an error.
func (e *Exposition) WriteText(w io.Writer) error {
	families, done, err := e.Gather()
	defer done()
	if err != nil {
		return fmt.Errorf("gather metrics: %w", err)
	}
	var buffer bytes.Buffer
	encoder := expfmt.NewEncoder(&buffer, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return fmt.Errorf("encode metrics: %w", err)
		}
	}
	if err := writeSameBounds(w, buffer.Bytes()); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}
