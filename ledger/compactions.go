package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// compactions counts compactions of the context.
type compactions struct {
	basic
	families     compactionFamilies
	uuids, times *dedupKeys
}

type compactionFamilies struct{ compactions, preTokens, duration, savedTokens counters.ID }

func newCompactions(c *core) *compactions {
	return &compactions{
		basic: basic{c},
		families: compactionFamilies{
			compactions: c.declare(claudeCounter("compactions_total", "Compactions of the context, without micro-compactions.", "trigger", "project", "agent")),
			preTokens:   c.declare(histogram(claudeCounter("compaction_pre_tokens", "Tokens in the context before a compaction.", "trigger"), 1, 100e3, 170e3, 180e3, 200e3, 500e3, 1e6)),
			duration: c.declare(histogram(caveat(claudeCounter("compaction_duration_seconds", "Duration of compactions of the context as Claude Code states it.", "trigger"),
				"Since 2.1.105."), milli, 30, 60, 90, 120, 300)),
			savedTokens: c.declare(caveat(claudeCounter("compaction_saved_tokens_total", "Tokens by which compactions made the context smaller.", "trigger"),
				"Since 2.1.105.")),
		},
		uuids: c.keys("compaction", tableCompactions), times: c.keys("compaction_time", tableCompactionTimes),
	}
}

// addSeries creates the series of both triggers, which every session has.
func (p *compactions) addSeries(when int64, source SourceLabels, project string) {
	for _, trigger := range []string{"auto", "manual"} {
		p.add(p.families.compactions, 0, when, source, p.bounded(p.labels.trigger, source, trigger, when), project, "main")
	}
}

func (p *compactions) countLine(l *line, e *transcript.Entry) {
	if c := e.Compaction; c != nil && !l.kind.Replays() && p.onceByTime(p.uuids, p.times, e, l, c.Trigger, c.PreTokens) {
		p.count(l, e.Sidechain, c)
	}
}

func (p *compactions) count(l *line, sidechain bool, c *transcript.Compaction) {
	agent := "main"
	if sidechain {
		agent = l.agent
	}
	trigger := p.bounded(p.labels.trigger, l.source, c.Trigger, l.when)
	p.add(p.families.compactions, 1, l.when, l.source, trigger, l.project, agent)
	if c.PreTokens > 0 {
		p.add(p.families.preTokens, c.PreTokens, l.when, l.source, trigger)
	}
	if c.Milliseconds > 0 {
		p.add(p.families.duration, c.Milliseconds, l.when, l.source, trigger)
	}
	if c.PostTokens > 0 && c.PreTokens > c.PostTokens {
		p.add(p.families.savedTokens, c.PreTokens-c.PostTokens, l.when, l.source, trigger)
	}
}
