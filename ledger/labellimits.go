package ledger

import "cmp"

// A labelID is the place of a label in Ledger.labels: of one whose values come
// from the transcripts, and may be any.
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
	labelCount
)

// labelNames are the names of these labels.
var labelNames = [labelCount]string{
	"model", "project", "tool", "mcp_server", "command", "status", "stop_reason", "error", "trigger",
}

// A label is the values that one has had.
type labelValues struct {
	values map[string]struct{}
	latest string // one of them
	limit  int    // how many there may be
}

// Other is the value of a label that already has as many values as it may.
const Other = "other"

// combined is what labelOverflow tells for a series that has Other because there are
// too many combinations, whatever its labels.
const combined = "combined"

// bounded returns the value itself while the label has room for it or knows it
// already, and Other from then on. Which values a full label has depends on who
// came first, and is part of the state.
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

// glimpse returns what bounded would, and leaves no trace: it is for what
// depends on when somebody looked.
func (l *Ledger) peek(id labelID, value string) string {
	if fits, _ := l.labels[id].fits(value); !fits {
		return Other
	}
	return value
}

// fits reports whether the label may have a value, and whether it takes no room
// of its own.
func (l *labelValues) fits(value string) (fits, known bool) {
	if _, ok := l.values[value]; ok || value == "" || value == Other {
		return true, true
	}
	return len(l.values) < l.limit, false
}

const (
	// defaultLimit holds for labels that Options.Limits does not name.
	defaultLimit = 100
	// defaultMaxSeries holds where Options.MaxSeries is 0.
	defaultMaxSeries = 10_000
)

// limit puts the limits of the options in force.
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
