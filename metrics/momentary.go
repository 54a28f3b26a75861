package metrics

import (
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// lastActivity is the family that has a series for every project that was ever
// seen.
const lastActivity = "ccwatch_last_activity_timestamp_seconds"

// The places of the families in the list that momentaryFamilies returns.
const (
	sessionsActive = iota
	sessionContext
	unsettledMessages
	rememberedIDs
	momentaryCount
)

// momentaryFamilies are the gauges that follow from a snapshot and that the
// ledger keeps no series for.
func momentaryFamilies() [momentaryCount]ledger.Family {
	return [momentaryCount]ledger.Family{
		sessionsActive: {
			Name: "ccwatch_sessions_active", Type: ledger.Gauge, Labels: []string{"project"}, Sourced: true,
			Help: "Sessions with a line not long ago (five minutes unless configured otherwise), by the project of the newest one.",
		},
		sessionContext: {
			Name: "ccwatch_session_context_tokens", Type: ledger.Gauge, Labels: []string{"session", "project", "model"}, Sourced: true,
			Help: "Tokens that the last request of a live session's main conversation sent; live sessions only, the newest ones if there are many.",
		},
		unsettledMessages: {
			Name: "ccwatchd_unsettled_messages", Type: ledger.Gauge,
			Help: "Messages held back until it is known that no better record of them follows.",
		},
		rememberedIDs: {
			Name: "ccwatchd_remembered_ids", Type: ledger.Gauge, Labels: []string{"what"},
			Help: "Ids remembered so that nothing is counted twice.",
		},
	}
}

// momentary returns the momentary families of a snapshot, with at most
// maxSessions sessions.
func momentary(s *ledger.Snapshot, maxSessions int) []ledger.FamilySamples {
	families := momentaryFamilies()
	return []ledger.FamilySamples{
		{Family: &families[sessionsActive], Samples: activeSessions(s)},
		{Family: &families[sessionContext], Samples: sessionContexts(s.Live, maxSessions)},
		{Family: &families[unsettledMessages], Samples: []ledger.Sample{{Value: count(s.Unsettled)}}},
		{Family: &families[rememberedIDs], Samples: remembered(s.Remembered)},
	}
}

// activeSessions counts the live sessions of every project that was ever seen:
// one without any is zero, so that its graph has an end instead of a gap.
func activeSessions(s *ledger.Snapshot) []ledger.Sample {
	type place struct {
		project string
		source  ledger.Source
	}
	active := make(map[place]uint64)
	for _, f := range s.Families {
		if f.Family.Name != lastActivity {
			continue
		}
		for i := range f.Samples {
			active[place{f.Samples[i].Labels[0], f.Samples[i].Source}] = 0
		}
	}
	for i := range s.Live {
		active[place{s.Live[i].Project, s.Live[i].Source}]++
	}
	samples := make([]ledger.Sample, 0, len(active))
	for at, n := range active {
		samples = append(samples, ledger.Sample{Labels: []string{at.project}, Source: at.source, Value: n})
	}
	return samples
}

// sessionContexts shows the first of the live sessions whose id and context are
// known.
func sessionContexts(live []ledger.Session, most int) []ledger.Sample {
	var samples []ledger.Sample
	for i := range live {
		one := &live[i]
		if len(samples) >= most {
			break
		}
		if one.ID == "" || one.Context == 0 {
			continue
		}
		// An id is shown as it was written, and anything may be written.
		labels := []string{transcript.Clean(one.ID), one.Project, one.Model}
		samples = append(samples, ledger.Sample{Labels: labels, Source: one.Source, Value: one.Context})
	}
	return samples
}

func remembered(counts map[string]int) []ledger.Sample {
	var samples []ledger.Sample
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		samples = append(samples, ledger.Sample{Labels: []string{what}, Value: count(counts[what])})
	}
	return samples
}

// count turns the size of something into a sample's value.
func count(n int) uint64 { return uint64(max(0, n)) }
