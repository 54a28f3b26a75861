package metrics

import (
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// lastActivity is the family that has a series for every project that was ever
// seen.
const lastActivity = "claude_last_activity_timestamp_seconds"

// The places of the families in the list that liveFamilies returns.
const (
	sessionsActive = iota
	sessionContext
	unsettledMessages
	rememberedIDs
	liveCount
)

// liveFamilies are the gauges that follow from a snapshot and that the
// ledger keeps no series for.
func liveFamilies() [liveCount]ledger.Family {
	return [liveCount]ledger.Family{
		sessionsActive: {
			Name: "claude_sessions_active", Type: ledger.Gauge, Labels: []string{"project"}, Sourced: true,
			Help: "Sessions with a line not long ago (five minutes unless configured otherwise), by the project of the newest one.",
		},
		sessionContext: {
			Name: "claude_session_context_tokens", Type: ledger.Gauge, Labels: []string{"session", "project", "model"}, Sourced: true,
			Help: "Tokens that the last request of a live session's main conversation sent; live sessions only, the newest ones if there are many.",
		},
		unsettledMessages: {
			Name: "ccwatchd_unsettled_messages", Type: ledger.Gauge,
			Help: "Messages held back until it is known that no better record of them follows.",
		},
		rememberedIDs: {
			Name: "ccwatchd_dedup_keys", Type: ledger.Gauge, Labels: []string{"kind"},
			Help: "Ids remembered so that nothing is counted twice.",
		},
	}
}

// A place is where sessions are.
type place struct {
	project string
	source  ledger.SourceLabels
}

// liveGauges makes families of what a snapshot says of its moment, with at most
// maxSessions sessions.
func liveGauges(s *ledger.Snapshot, maxSessions int) []ledger.FamilySamples {
	families := liveFamilies()
	all := make([]ledger.FamilySamples, len(families))
	for i := range families {
		all[i].Family = &families[i]
	}
	all[sessionsActive].Samples = activeSessions(s)
	all[sessionContext].Samples = sessionContexts(s.Live, maxSessions)
	all[unsettledMessages].Samples = []ledger.Sample{{Value: count(s.Unsettled)}}
	for kind, n := range s.DedupKeys {
		all[rememberedIDs].Samples = append(all[rememberedIDs].Samples, ledger.Sample{Labels: []string{kind}, Value: count(n)})
	}
	return all
}

// activeSessions counts the live sessions of every project that was ever seen:
// one without any is zero, so that its graph has an end instead of a gap.
func activeSessions(s *ledger.Snapshot) (samples []ledger.Sample) {
	active := make(map[place]uint64)
	for _, f := range s.Families {
		if f.Family.Name == lastActivity {
			for i := range f.Samples {
				active[place{f.Samples[i].Labels[0], f.Samples[i].Source}] = 0
			}
		}
	}
	for _, a := range s.Active {
		active[place{a.Project, a.Source}] += count(a.Sessions)
	}
	for at, n := range active {
		samples = append(samples, ledger.Sample{Labels: []string{at.project}, Source: at.source, Value: n})
	}
	return samples
}

// sessionContexts exposes the first of the live sessions whose id and context are
// known.
func sessionContexts(live []ledger.Session, most int) (samples []ledger.Sample) {
	for i := range live {
		one := &live[i]
		if one.ID == "" || one.Context == 0 || len(samples) >= most {
			continue
		}
		// An id is exposed as it was written, and anything may be written.
		labels := []string{transcript.Clean(one.ID), one.Project, one.Model}
		samples = append(samples, ledger.Sample{Labels: labels, Source: one.Source, Value: one.Context})
	}
	return samples
}

// count turns the size of something into a sample's value.
func count(n int) uint64 { return uint64(max(0, n)) }
