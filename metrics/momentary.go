package metrics

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// lastActivity is the family that has a series for every project that was ever
// seen.
const lastActivity = "claude_last_activity_timestamp_seconds"

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

// momentary are the momentary families of the snapshot that was seen last. What
// it takes is used again for the next one.
type momentary struct {
	families []ledger.FamilySamples
	places   map[place]int   // of the samples of sessionsActive
	contexts []ledger.Sample // those of sessionContext, and room for more
}

// A place is where sessions are.
type place struct {
	project string
	source  ledger.Source
}

// update returns the momentary families of a snapshot, with at most maxSessions
// sessions.
func (m *momentary) update(s *ledger.Snapshot, maxSessions int) []ledger.FamilySamples {
	if m.families == nil {
		for _, f := range momentaryFamilies() {
			m.families = append(m.families, ledger.FamilySamples{Family: &f})
		}
		m.families[unsettledMessages].Samples = make([]ledger.Sample, 1)
		m.places = make(map[place]int)
	}
	m.activeSessions(s)
	m.sessionContexts(s.Live, maxSessions)
	m.families[unsettledMessages].Samples[0].Value = count(s.Unsettled)
	m.remembered(s.DedupKeys)
	return m.families
}

// activeSessions counts the live sessions of every project that was ever seen:
// one without any is zero, so that its graph has an end instead of a gap.
func (m *momentary) activeSessions(s *ledger.Snapshot) {
	active := &m.families[sessionsActive]
	for i := range active.Samples {
		active.Samples[i].Value = 0
	}
	for _, f := range s.Families {
		if f.Family.Name != lastActivity {
			continue
		}
		for i := range f.Samples {
			m.active(place{f.Samples[i].Labels[0], f.Samples[i].Source})
		}
	}
	for i := range s.Active {
		m.active(place{s.Active[i].Project, s.Active[i].Source}).Value += count(s.Active[i].Sessions)
	}
}

// active returns the sample that counts the sessions of a place.
func (m *momentary) active(at place) *ledger.Sample {
	f := &m.families[sessionsActive]
	i, ok := m.places[at]
	if !ok {
		i = len(f.Samples)
		m.places[at] = i
		f.Samples = append(f.Samples, ledger.Sample{Labels: []string{at.project}, Source: at.source})
	}
	return &f.Samples[i]
}

// sessionContexts shows the first of the live sessions whose id and context are
// known.
func (m *momentary) sessionContexts(live []ledger.Session, most int) {
	n := 0
	for i := range live {
		one := &live[i]
		if n >= most {
			break
		}
		if one.ID == "" || one.Context == 0 {
			continue
		}
		if n == len(m.contexts) {
			m.contexts = append(m.contexts, ledger.Sample{})
		}
		s := &m.contexts[n]
		// An id is shown as it was written, and anything may be written.
		s.Labels = append(s.Labels[:0], transcript.Clean(one.ID), one.Project, one.Model)
		s.Source, s.Value = one.Source, one.Context
		n++
	}
	m.families[sessionContext].Samples = m.contexts[:n]
}

// remembered shows how many keys there are of each kind.
func (m *momentary) remembered(counts map[string]int) {
	f := &m.families[rememberedIDs]
	for what, n := range counts {
		i := slices.IndexFunc(f.Samples, func(s ledger.Sample) bool { return s.Labels[0] == what })
		if i < 0 {
			i = len(f.Samples)
			f.Samples = append(f.Samples, ledger.Sample{Labels: []string{what}})
		}
		f.Samples[i].Value = count(n)
	}
}

// count turns the size of something into a sample's value.
func count(n int) uint64 { return uint64(max(0, n)) }
