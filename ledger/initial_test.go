package ledger

import (
	"maps"
	"testing"
)

// Initial series count no overflow, however small the limits are and however often the
// options change.
func TestInitialSeriesDoNotOverflow(t *testing.T) {
	o := testOptions()
	o.Limits = maps.Clone(o.Limits)
	o.Limits["error"], o.MaxSeries = 3, 4
	l := New(o, birth)
	for range 3 {
		l = reopened(t, l)
		l.Configure(o)
	}
	if got := samplesOf(l, "ccwatchd_label_overflow_total"); len(got) > 0 {
		t.Errorf("got overflows: %v", got)
	}
	if got := len(samplesOf(l, "claude_api_errors_total")); got != 3 {
		t.Errorf("got %d classes of errors, want 3", got)
	}
}
