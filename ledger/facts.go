package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// facts counts events that transcripts state and that have a key of their own. Each
// counts whether or not the tool call or its result is a copy: a copy may contain what
// the first one did not.
type facts struct {
	basic
	kinds map[transcript.FactKind]factKind
}

// A factKind is how the facts of a kind are counted. The labels of its family are the
// name of the fact and the project, or one of them.
type factKind struct {
	family  counters.ID
	keys    *dedupKeys
	limit   *counters.Label // of the name, if anything can be one
	named   bool            // the family has a label for the name
	project bool            // the family has a label for the project
	// session is whether the key derives from a session: it belongs to the source, and an
	// event that is stated again is no duplicate.
	session bool
}

func newFacts(c *core) *facts {
	p := &facts{basic: basic{c}, kinds: make(map[transcript.FactKind]factKind)}
	add := func(kind transcript.FactKind, table table.Number, f counters.Family, options ...func(*factKind)) {
		project := slices.Contains(f.Labels, "project")
		k := factKind{
			family: c.declare(f), keys: c.keys(string(kind), table),
			project: project, named: len(f.Labels) > 1 || !project,
		}
		for _, option := range options {
			option(&k)
		}
		p.kinds[kind] = k
	}

	add(transcript.RetryFact, tableRetryFacts,
		caveat(claudeCounter("api_retries_total", "Retries of API requests by the client.", "status"), "Not in every version; since 2.1.287 only of `claude -p` and SDK programs."),
		func(k *factKind) { k.limit = &c.labels.status })
	add(transcript.CommitFact, tableCommitFacts,
		caveat(claudeCounter("commits_total", "Git commits that results of tools state, each hash counted once.", "project"),
			"Since 2.1.156, except in most sub-agents."))
	add(transcript.PullRequestFact, tablePullRequestFacts,
		claudeCounter("pull_requests_total", "Pull requests that sessions are linked to, each URL counted once.", "project"))
	add(transcript.FileFact, tableFileFacts,
		caveat(claudeCounter("files_touched_total", "Files that tools were called with, each file of a session counted once for each operation.", "operation", "project"),
			"Including failed calls."),
		func(k *factKind) { k.session = true })
	add(transcript.BackgroundFact, tableBackgroundFacts,
		claudeCounter("background_tasks_total", "Background work that tools started, by kind: shell commands, agents, teammates, monitors and workflows.", "kind"))
	add(transcript.CostBasisFact, tableCostBasisFacts,
		caveat(claudeCounter("reported_cost_basis_total", "Sessions, by what Claude Code bases their reported cost on.", "basis"),
			"A session can have several."),
		func(k *factKind) { k.session = true })
	return p
}

func (p *facts) countLine(l *line, e *transcript.Entry) {
	if l.leftOut {
		return
	}
	for i := range e.Facts {
		fact := &e.Facts[i]
		k := p.kinds[fact.Kind]
		key := l.facts[i]
		if k.session {
			key = k.keys.inSource(key, l.source)
		}
		switch isNew := p.first(k.keys, key, l.id); {
		case isNew:
			p.count(l, fact, &k)
		case !k.session:
			p.duplicate(k.keys.kind, l.when)
		}
	}
}

func (p *facts) count(l *line, fact *transcript.Fact, k *factKind) {
	var labels [2]string
	n := 0
	if k.named {
		labels[n] = fact.Name
		if k.limit != nil {
			labels[n] = p.bounded(*k.limit, l.source, fact.Name, l.when)
		}
		n++
	}
	if k.project {
		labels[n] = l.project
		n++
	}
	p.add(k.family, 1, l.when, l.source, labels[:n]...)
}
