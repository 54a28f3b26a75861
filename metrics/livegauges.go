package metrics

import (
	"math"

	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// lastActivity is the family with a series for every project ever seen.
const lastActivity = "claude_last_activity_timestamp_seconds"

// Indexes into the result of liveFamilies.
const (
	sessionsActive = iota
	sessionContext
	unsettledMessages
	dedupKeys
	priceTable
	limitUsed
	limitReset
	versionInfo
	sessionsRunning
	sessionsUnwritten
	liveCount
)

// liveFamilies are the gauges computed from a snapshot. The ledger has no series of
// them.
func liveFamilies() [liveCount]ledger.Family {
	return [liveCount]ledger.Family{
		sessionsActive: {
			Name: "claude_sessions_active", Type: ledger.Gauge, Labels: []string{"project"}, Sourced: true,
			Help: "Number of sessions with a recent line (five minutes unless configured otherwise), " +
				"by the project of the newest line.",
		},
		sessionContext: {
			Name: "claude_session_context_tokens", Type: ledger.Gauge,
			Labels: []string{"session", "project", "model"}, Sourced: true,
			Help: "Number of tokens sent by the last request in the main conversation of a live session. " +
				"With many live sessions only the newest have a series.",
		},
		unsettledMessages: {
			Name: "ccwatchd_unsettled_messages", Type: ledger.Gauge,
			Help: "Number of messages held back until it is certain that no better record of them follows.",
		},
		dedupKeys: {
			Name: "ccwatchd_dedup_keys", Type: ledger.Gauge, Labels: []string{"kind"},
			Help: "Number of deduplication keys kept, by kind.",
		},
		priceTable: {
			Name: "ccwatchd_price_table_info", Type: ledger.Gauge, Labels: []string{"updated", "source"},
			Help: "Always 1: the date of the built-in list prices, and whether the configuration adds or replaces some.",
		},
		limitUsed: {
			Name: "claude_limit_used_ratio", Type: ledger.Gauge, Labels: []string{"window"}, Sourced: true, PerUnit: 1e6,
			Help: "Used part of a usage limit of the subscription (1 is all of it), as \"ccwatchd statusline\" last handed it over; " +
				"0 after its reset, and missing an hour later until there is a new report.",
		},
		limitReset: {
			Name: "claude_limit_reset_timestamp_seconds", Type: ledger.Gauge, Labels: []string{"window"}, Sourced: true, PerUnit: 1e3,
			Help: "Time at which the window of a usage limit ends, in seconds since the epoch, as \"ccwatchd statusline\" last " +
				"handed it over; missing after that time until there is a new report.",
		},
		versionInfo: {
			Name: "claude_version_info", Type: ledger.Gauge, Labels: []string{"version"}, Sourced: true,
			Help: "Always 1: the newest versions of Claude Code, at most eight for each source, that made a request within the 30 days " +
				"before the newest request.",
		},
		sessionsRunning: {
			Name: "claude_sessions_running", Type: ledger.Gauge, Sourced: true,
			Help: "Number of sessions whose processes run on this machine, as Claude Code registers them; missing without such a registry.",
		},
		sessionsUnwritten: {
			Name: "claude_sessions_unwritten", Type: ledger.Gauge, Sourced: true,
			Help: "Number of running sessions that started over ten minutes ago and have been seen at work, but have no transcript.",
		},
	}
}

type sourceProject struct {
	project string
	source  ledger.SourceLabels
}

// liveGauges returns the samples of the live gauges, with at most maxSessions sessions.
func liveGauges(s *ledger.Snapshot, maxSessions int, windows []limits.Window, running []RunningSessions) []ledger.FamilySamples {
	families := liveFamilies()
	all := make([]ledger.FamilySamples, len(families))
	for i := range families {
		all[i].Family = &families[i]
	}
	all[sessionsActive].Samples = activeSessions(s)
	all[sessionContext].Samples = sessionContexts(s.Live, maxSessions)
	all[unsettledMessages].Samples = []ledger.Sample{{Value: count(s.Unsettled)}}
	for kind, n := range s.DedupKeys {
		sample := ledger.Sample{Labels: []string{kind}, Value: count(n)}
		all[dedupKeys].Samples = append(all[dedupKeys].Samples, sample)
	}
	all[priceTable].Samples = priceTableInfo(s.Prices)
	for _, v := range s.Versions {
		sample := ledger.Sample{Labels: []string{v.Version}, Source: v.Source, Value: 1}
		all[versionInfo].Samples = append(all[versionInfo].Samples, sample)
	}
	for _, w := range windows {
		one := ledger.Sample{Labels: []string{w.Name}, Source: ledger.SourceLabels(w.Source)}
		one.Value = uint64(math.Round(w.Used * 1e6)) // a small number
		all[limitUsed].Samples = append(all[limitUsed].Samples, one)
		if !w.Resets.IsZero() {
			one.Value = uint64(max(0, w.Resets.UnixMilli()))
			all[limitReset].Samples = append(all[limitReset].Samples, one)
		}
	}
	for _, r := range running {
		all[sessionsRunning].Samples = append(all[sessionsRunning].Samples, ledger.Sample{Source: r.Source, Value: count(r.Running)})
		all[sessionsUnwritten].Samples = append(all[sessionsUnwritten].Samples, ledger.Sample{Source: r.Source, Value: count(r.Unwritten)})
	}
	return all
}

// activeSessions counts the live sessions of every project ever seen. A project without
// any is 0, so that its graph returns to zero instead of ending.
func activeSessions(s *ledger.Snapshot) (samples []ledger.Sample) {
	active := make(map[sourceProject]uint64)
	for _, f := range s.Families {
		if f.Family.Name == lastActivity {
			for i := range f.Samples {
				active[sourceProject{f.Samples[i].Labels[0], f.Samples[i].Source}] = 0
			}
		}
	}
	for _, a := range s.Active {
		active[sourceProject{a.Project, a.Source}] += count(a.Sessions)
	}
	for key, n := range active {
		samples = append(samples, ledger.Sample{Labels: []string{key.project}, Source: key.source, Value: n})
	}
	return samples
}

// sessionContexts returns the contexts of the first live sessions whose id and context
// are known.
func sessionContexts(live []ledger.Session, limit int) (samples []ledger.Sample) {
	for i := range live {
		one := &live[i]
		if one.ID == "" || one.Context == 0 || len(samples) >= limit {
			continue
		}
		// The id is exposed as written, and a transcript may contain anything.
		labels := []string{transcript.Clean(one.ID), one.Project, one.Model}
		samples = append(samples, ledger.Sample{Labels: labels, Source: one.Source, Value: one.Context})
	}
	return samples
}

// The values of the label source of the price table.
const (
	builtIn = "built-in"
	overlay = "overlay"
)

// priceTableInfo describes the price table, if there is one.
func priceTableInfo(t ledger.PriceTable) []ledger.Sample {
	source := builtIn
	switch {
	case t.Updated == "":
		return nil
	case t.Overlaid:
		source = overlay
	}
	return []ledger.Sample{{Labels: []string{t.Updated, source}, Value: 1}}
}

// count converts a size to the value of a sample.
func count(n int) uint64 { return uint64(max(0, n)) }
