package ledger

import (
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// core is shared by the parts of a ledger: the counters, the tables, the limited labels
// and the files.
type core struct {
	opts     *Options
	set      *counters.Set
	tables   *table.Set
	labels   limitedLabels
	families ownFamilies

	files     *table.Table[FileID, fileState]
	fileAttrs *table.Interner[fileAttrs]
	labelSets *sourced[messageLabels]
	groups    fileGroups
	heirs     map[FileID]FileID // see findHeirs

	rows   map[string][]interface{ Len() int } // tables whose rows are dedup keys, by kind
	owned  []ownedRows
	budget keyBudget
}

// limitedLabels are the labels whose values come from the transcripts.
type limitedLabels struct {
	model, project, tool, mcpServer, command, status, stopReason, errorClass, trigger counters.Label

	agentType, skill, plugin, window counters.Label
}

// maxProjects is the number of projects of a source that are counted by name. Fewer are
// exposed by name.
const maxProjects = 5000

func newLimitedLabels(s *counters.Set) limitedLabels {
	l := limitedLabels{
		model: s.Limit("model", 64), project: s.LimitExposed("project", 100, maxProjects), tool: s.Limit("tool", 200),
		mcpServer: s.Limit("mcp_server", 100), command: s.Limit("command", 100), status: s.Limit("status", 32),
		stopReason: s.Limit("stop_reason", 16), errorClass: s.Limit("error", 32), trigger: s.Limit("trigger", 8),
		agentType: s.Limit("agent_type", 64), skill: s.Limit("skill", 100), plugin: s.Limit("plugin", 50),
		window: s.Limit("window", 16),
	}
	s.Known(l.model, listedModel)
	return l
}

// builtinPrices has the models whose names need no room under the limit of models.
var builtinPrices = pricing.Default()

// listedModel returns the name in the built-in price list of a model.
func listedModel(model string) (name string, ok bool) {
	if len(model) > maxPricedModel {
		return "", false
	}
	return builtinPrices.Model(model)
}

// ownFamilies are the families about reading transcripts.
type ownFamilies struct {
	readBytes, lines, lineErrors, unknowns, duplicates, fileResets, replacedTimes counters.ID
}

func newCore(o *Options, birth int64) *core {
	s, tables := counters.New(birth), new(table.Set)
	c := &core{
		opts: o, set: s, tables: tables, labels: newLimitedLabels(s), rows: make(map[string][]interface{ Len() int }),
		files:     table.NewNumbered[FileID](tables, tableFiles, codeFile),
		fileAttrs: table.NewInterner(tables, tableFileAttrs, codeFileAttrs),
		labelSets: newSourced(tables, tableMessageLabels, codeMessageLabels, func(m messageLabels) SourceLabels { return m.source }),
		groups:    newFileGroups(tables),
	}
	c.families = ownFamilies{
		readBytes:  c.declare(daemonCounter("read_bytes_total", "Number of transcript bytes read, up to the last complete line.")),
		lines:      c.declare(daemonCounter("lines_total", "Number of entries read, by type, including copies.", "type")),
		lineErrors: c.declare(daemonCounter("line_errors_total", "Number of lines that are not exactly one JSON object, by reason.", "reason")),
		unknowns: c.declare(caveat(daemonCounter("unknown_format_total", "Number of entries with elements unknown to this version, by kind.", "kind"),
			"`metadata_type` and `subtype` are normal; with other kinds, [counters may be incomplete](alerts.md#ccwatchdformatunknown).")),
		duplicates: c.declare(daemonCounter("duplicates_total", "Number of repeated entries or parts of entries, by kind.", "kind")),
		fileResets: c.declare(daemonCounter("file_resets_total", "Number of files read again from the beginning, by reason.", "reason")),
		replacedTimes: c.declare(caveat(daemonCounter("replaced_times_total", "Number of lines that do not count at the time that they state, by reason.", "reason"),
			"Check the clocks.")),
	}
	return c
}

// add adds n to a counter, observes it with a histogram, or raises a gauge to it.
func (c *core) add(id counters.ID, n uint64, when int64, source SourceLabels, labels ...string) {
	c.set.Add(id, n, when, source, labels...)
}

// bounded returns the value that a label with a limit gets from a source.
func (c *core) bounded(id counters.Label, source SourceLabels, value string, when int64) string {
	return c.set.Bounded(id, source, value, when)
}

// duplicate counts a repetition.
func (c *core) duplicate(kind string, when int64) {
	c.add(c.families.duplicates, 1, when, "", kind)
}

// attrsOf returns the attributes of a file.
func (c *core) attrsOf(f *fileState) fileAttrs { return c.fileAttrs.Value(f.attrs) }

// dedupKeys are the dedup keys of one kind, each with the file that had it first.
type dedupKeys struct {
	kind string // in metrics
	*sourceTable[FileID]
}

// keys adds a kind of dedup keys.
func (c *core) keys(kind string, n table.Number) *dedupKeys {
	codeHolder := func(c *table.Coder, f *FileID) { table.Uint(c, 1, f) }
	k := &dedupKeys{kind, newSourceTable(c, n, codeHolder, func(f FileID) FileID { return f })}
	c.countRows(kind, k)
	return k
}

// countRows lets DedupKeys count the rows of tables as keys of a kind.
func (c *core) countRows(kind string, tables ...interface{ Len() int }) {
	c.rows[kind] = append(c.rows[kind], tables...)
}

// DedupKeys returns the number of dedup keys of each kind.
func (c *core) DedupKeys() map[string]int {
	n := make(map[string]int)
	for kind, tables := range c.rows {
		for _, t := range tables {
			n[kind] += t.Len()
		}
	}
	return n
}

// first records that f has a key, and reports whether it is new.
func (c *core) first(kind *dedupKeys, k transcript.Key, f FileID) bool {
	known := c.claim(kind, k, f)
	if !known {
		kind.Put(hashOf(k), f)
	}
	return !known
}

// claim records that f also has a key, if it is known, and reports whether it is.
func (c *core) claim(kind *dedupKeys, k transcript.Key, f FileID) bool {
	holder, known := kind.Get(hashOf(k))
	if known {
		c.groups.join(holder, f)
	}
	return known
}

// firstBoth records that f has two keys, and reports whether both are new.
func (c *core) firstBoth(f FileID, a *dedupKeys, keyA transcript.Key, b *dedupKeys, keyB transcript.Key) bool {
	isNew := c.first(a, keyA, f)
	return c.first(b, keyB, f) && isNew
}

// once is first for a line. It counts a duplicate if the key is not new.
func (c *core) once(kind *dedupKeys, key transcript.Key, l *line) bool {
	isNew := c.first(kind, key, l.id)
	if !isNew {
		c.duplicate(kind.kind, l.when)
	}
	return isNew
}
