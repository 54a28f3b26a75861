package ledger

import "cmp"

// A labelID is the index in Ledger.labels of a label whose values come from the
// transcripts, and so may be anything.
type labelID int

const (
	modelLabel labelID = iota
	projectLabel
	toolLabel
	mcpServerLabel
	commandLabel
	statusLabel
	stopReasonLabel
	errorLabel
	triggerLabel
	agentTypeLabel
	skillLabel
	pluginLabel
	labelCount
)

var labelNames = [labelCount]string{
	"model", "project", "tool", "mcp_server", "command", "status", "stop_reason", "error", "trigger",
	"agent_type", "skill", "plugin",
}

// labelValues are the values that a label has had.
type labelValues struct {
	values map[string]struct{}
	latest string // one of them
	limit  int    // the number of values it may have
}

// Other is the value of a label that already has as many values as it may.
const Other = "other"

// combined is the label of overflows of Options.MaxSeries, whatever labels the family
// has.
const combined = "combined"

// bounded returns value if the label has it already or has room for it, and otherwise
// Other. Which values a full label has depends on the order in which they came, and is
// part of the state.
func (l *Ledger) bounded(id labelID, value string, when int64) string {
	label := &l.labels[id]
	if value == label.latest {
		return value
	}
	fits, known := label.fits(value)
	if !fits {
		l.add(labelOverflow, 1, when, "", labelNames[id])
		return Other
	}
	if !known {
		label.values[value] = struct{}{}
	}
	label.latest = value
	return value
}

// peek returns what bounded would, and changes nothing. It is for values that a
// snapshot shows.
func (l *Ledger) peek(id labelID, value string) string {
	if fits, _ := l.labels[id].fits(value); !fits {
		return Other
	}
	return value
}

// fits reports whether the label may have a value, and whether it does not count
// towards the limit again.
func (l *labelValues) fits(value string) (fits, known bool) {
	if _, ok := l.values[value]; ok || value == "" || value == Other {
		return true, true
	}
	return len(l.values) < l.limit, false
}

const (
	// defaultLimit applies to labels that Options.Limits does not name.
	defaultLimit = 100
	// defaultMaxSeries applies if Options.MaxSeries is 0.
	defaultMaxSeries = 10_000
)

// applyLimits applies the limits of the options.
func (l *Ledger) applyLimits() {
	for id := range l.labels {
		l.labels[id].limit = defaultLimit
		if n, ok := l.opts.Limits[labelNames[id]]; ok {
			l.labels[id].limit = n
		}
	}
	for i := range l.tables {
		l.tables[i].setLimit(cmp.Or(l.opts.MaxSeries, defaultMaxSeries))
	}
}
