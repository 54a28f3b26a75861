package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
)

// bothHistograms is a classic histogram with the native part of a sample.
type bothHistograms struct {
	prometheus.Metric
	sample *counters.Sample
}

func (b bothHistograms) Write(m *dto.Metric) error {
	err := b.Metric.Write(m)
	writeNative(m.Histogram, b.sample)
	return err
}

// changeNative gives a histogram other observations, and sometimes a wrong count.
func (p *randomProvider) changeNative(s *counters.Sample) {
	before := s.Native
	s.Native = counters.NativeHistogram{Zeros: p.Uint64N(3)}
	for range p.IntN(20) {
		s.Native.Indexes = append(s.Native.Indexes, int32(p.IntN(60)-30))
	}
	slices.Sort(s.Native.Indexes)
	s.Native.Indexes = slices.Compact(s.Native.Indexes)
	for range s.Native.Indexes {
		s.Native.Counts = append(s.Native.Counts, 1+p.Uint64N(1000))
	}
	if p.IntN(4) == 0 {
		s.Value = math.MaxUint64
		return
	}
	s.Value, _ = s.Native.Count()
	if n, _ := before.Count(); n == s.Value { // every observation changes the count
		s.Native.Zeros++
		s.Value++
	}
}

// Native buckets that do not add up to the count are not exposed, and come back when
// they do.
func TestNativeOfOtherCount(t *testing.T) {
	f := &counters.Family{Name: "claude_seconds", Type: counters.Histogram, PerUnit: 1000}
	h := &dto.Histogram{SampleCount: new(uint64), SampleSum: new(float64)}
	native := counters.NativeHistogram{Zeros: 1, Indexes: []int32{4, 7, 11}, Counts: []uint64{2, 1, 5}}
	for _, count := range []uint64{9, 10, 8, math.MaxUint64, 9} {
		writeHistogram(h, f, &counters.Sample{Value: count, Counts: []uint64{count}, Native: native})
		if got := h.Schema != nil && len(h.PositiveSpan) == 2; got != (count == 9) {
			t.Errorf("count %d: native part is %v", count, got)
		}
	}
	want := []int64{2, -2, 0, 1, 4}
	if !slices.Equal(h.PositiveDelta, want) {
		t.Errorf("got deltas %d, want %d", h.PositiveDelta, want)
	}
}
