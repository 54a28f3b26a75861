package ledger

import (
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// What several lines without a stop reason state does not depend on their order.
func TestRequestAttributesAreCommutative(t *testing.T) {
	all := []requestAttributes{
		{}, {mode: 3, versionRange: 4}, {effort: 2, tier: 1, versionRange: 9}, {speed: 3, entrypoint: 2, versionRange: 11}, {mode: 8, effort: 1, speed: 2},
	}
	want := requestAttributes{mode: 8, effort: 2, tier: 1, speed: 3, entrypoint: 2, versionRange: 9}
	for i := range all {
		got := all[i]
		for _, other := range slices.Concat(all[i+1:], all[:i]) {
			got.add(other)
		}
		if got != want {
			t.Errorf("from %d: got %v, want %v", i, got, want)
		}
	}
}

// Values that only a newer version knows count as "other".
func TestNewerRequestAttributes(t *testing.T) {
	l := newWith()
	e := messageEntry(1)
	e.Message.RequestAttributes = transcript.RequestAttributes{Effort: 99, ServiceTier: 98, Speed: 97, Entrypoint: 96}
	l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{{Type: "user", PermissionMode: 95}, e}})
	l = reopened(t, l)
	for _, h := range l.messages.held.All() {
		want := requestAttributes{mode: 95, effort: 99, tier: 98, speed: 97, entrypoint: 96, complete: true}
		if got := l.messages.details.Value(h.details).requestAttributes; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	l.FinalizeFile(1, birth)
	for family, labels := range map[string][]string{
		"claude_requests_by_mode_total": {counters.Other, counters.Other}, "claude_requests_by_service_total": {counters.Other, counters.Other}, "claude_requests_by_entrypoint_total": {counters.Other}, "claude_requests_by_version_range_total": {"unknown"},
	} {
		if s := samplesOf(l, family); len(s) != 1 || s[0].Value != 1 || !slices.Equal(s[0].Labels, labels) {
			t.Errorf("%s: got %+v, want one request with %v", family, s, labels)
		}
	}
	if got := versionRange(99).name(); got != "unknown" {
		t.Errorf("got %s", got)
	}
}
