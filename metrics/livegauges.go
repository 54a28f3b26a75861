package metrics

import (
	"math"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// RunningSessions counts the sessions of a source whose processes run.
type RunningSessions struct {
	Source    counters.SourceLabels
	Running   int
	Unwritten int // sessions that lack the transcript that they should have by now
}

// lastActivity is the family with a series for every project ever seen.
const lastActivity = "claude_last_activity_timestamp_seconds"

// liveGauges computes the gauges that the ledger does not store as series, with at most
// maxSessions sessions of each source.
func liveGauges(s *ledger.Snapshot, maxSessions int, windows []limits.Window, running []RunningSessions) []counters.FamilySamples {
	return slices.Concat(ledgerGauges(s, maxSessions), limitGauges(windows), versionGauges(s), runningGauges(running))
}

func gauge(f counters.Family, samples []counters.Sample) counters.FamilySamples {
	f.Type = counters.Gauge
	return counters.FamilySamples{Family: &f, Samples: samples}
}

func ledgerGauges(s *ledger.Snapshot, maxSessions int) []counters.FamilySamples {
	var keys []counters.Sample
	for kind, n := range s.DedupKeys {
		keys = append(keys, counters.Sample{Labels: []string{kind}, Value: count(n)})
	}
	return []counters.FamilySamples{
		gauge(counters.Family{
			Name: "claude_sessions_active", Labels: []string{"project"}, Sourced: true,
			Help:   "Number of sessions with a recent line, by the project of the newest line.",
			Caveat: "Within five minutes (`intervals.session_active`), and not known to have ended.",
		}, activeSessions(s)),
		gauge(counters.Family{
			Name:   "claude_session_context_tokens",
			Labels: []string{"session", "project", "model"}, Sourced: true,
			Help: "Number of tokens sent by the last request in the main conversation of a live session.",
		}, sessionContexts(s.Live, maxSessions)),
		gauge(counters.Family{
			Name: "ccwatchd_unsettled_messages",
			Help: "Number of messages held back until it is certain that no better record of them follows.",
		}, []counters.Sample{{Value: count(s.Unsettled)}}),
		gauge(counters.Family{
			Name: "ccwatchd_dedup_keys", Labels: []string{"kind"},
			Help: "Number of deduplication keys kept, by kind.",
		}, keys),
		gauge(counters.Family{
			Name: "ccwatchd_price_table_info", Labels: []string{"updated", "source"},
			Help: "Always 1: the date of the built-in list prices, and whether the configuration adds or replaces some.",
		}, priceTableInfo(s.Prices)),
	}
}

func limitGauges(windows []limits.Window) []counters.FamilySamples {
	used, resets := limitSamples(windows)
	return []counters.FamilySamples{
		gauge(counters.Family{
			Name: "claude_limit_used_ratio", Labels: []string{"window"}, Sourced: true, PerUnit: 1e6,
			Help:   "Used part of a usage limit (1 is all of it).",
			Caveat: "From [the status line](terminal.md#usage-limits). 0 after its reset, missing an hour later.",
		}, used),
		gauge(counters.Family{
			Name: "claude_limit_reset_timestamp_seconds", Labels: []string{"window"}, Sourced: true, PerUnit: 1e3,
			Help:   "Unix time at which the window of a usage limit ends.",
			Caveat: "From the status line. Missing after that time until a new report.",
		}, resets),
	}
}

func versionGauges(s *ledger.Snapshot) []counters.FamilySamples {
	var versions []counters.Sample
	for _, v := range s.Versions {
		versions = append(versions, counters.Sample{Labels: []string{v.Version}, Source: v.Source, Value: 1})
	}
	return []counters.FamilySamples{
		gauge(counters.Family{
			Name: "claude_version_info", Labels: []string{"version"}, Sourced: true,
			Help:   "Always 1: the newest versions of Claude Code in recent use.",
			Caveat: "Used within 30 days before the newest request of the source.",
		}, versions),
	}
}

func runningGauges(sessions []RunningSessions) []counters.FamilySamples {
	running, unwritten := runningSamples(sessions)
	return []counters.FamilySamples{
		gauge(counters.Family{
			Name: "claude_sessions_running", Sourced: true,
			Help:   "Number of sessions whose processes run on this machine, as Claude Code registers them.",
			Caveat: "Missing without such a registry.",
		}, running),
		gauge(counters.Family{
			Name: "claude_sessions_unwritten", Sourced: true,
			Help: "Number of running sessions that started over ten minutes ago and have been seen at work, but have no transcript.",
		}, unwritten),
	}
}

func limitSamples(windows []limits.Window) (used, resets []counters.Sample) {
	for _, w := range windows {
		sample := counters.Sample{Labels: []string{w.Name}, Source: counters.SourceLabels(w.Source)}
		sample.Value = uint64(math.Round(w.Used * 1e6)) // a small number
		used = append(used, sample)
		if !w.Resets.IsZero() {
			sample.Value = uint64(max(0, w.Resets.UnixMilli()))
			resets = append(resets, sample)
		}
	}
	return used, resets
}

func runningSamples(sessions []RunningSessions) (running, unwritten []counters.Sample) {
	for _, r := range sessions {
		running = append(running, counters.Sample{Source: r.Source, Value: count(r.Running)})
		unwritten = append(unwritten, counters.Sample{Source: r.Source, Value: count(r.Unwritten)})
	}
	return running, unwritten
}

type sourceProject struct {
	project string
	source  counters.SourceLabels
}

// activeSessions counts the live sessions of every project ever seen. A project without
// any is 0, so that its graph returns to zero instead of ending.
func activeSessions(s *ledger.Snapshot) (samples []counters.Sample) {
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
		samples = append(samples, counters.Sample{Labels: []string{key.project}, Source: key.source, Value: n})
	}
	return samples
}

// sessionContexts returns the contexts of the first live sessions of each source, as
// many as limit, whose id and context are known.
func sessionContexts(live []ledger.Session, limit int) (samples []counters.Sample) {
	n, listed := make(map[counters.SourceLabels]int), make(map[ledger.SessionID]bool)
	for i := range live {
		session := &live[i]
		// A transcript may contain any id, so it is cleaned here. Two can look the same.
		id := ledger.SessionID{Source: session.Source, ID: transcript.Clean(session.ID)}
		if id.ID == "" || session.Context == 0 || listed[id] || n[session.Source] >= limit {
			continue
		}
		n[session.Source]++
		listed[id] = true
		labels := []string{id.ID, session.Project, session.Model}
		samples = append(samples, counters.Sample{Labels: labels, Source: session.Source, Value: session.Context})
	}
	return samples
}

// priceTableInfo describes the price table, if there is one.
func priceTableInfo(t ledger.PriceTable) []counters.Sample {
	source := "built-in"
	switch {
	case t.Updated == "":
		return nil
	case t.Overlaid:
		source = "overlay"
	}
	return []counters.Sample{{Labels: []string{t.Updated, source}, Value: 1}}
}

// count converts a size to the value of a sample.
func count(n int) uint64 { return uint64(max(0, n)) }
