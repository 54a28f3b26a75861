package report

import (
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// none is the text of a number that is unknown, and of an empty label.
const none = "–"

// A row is a row of the table, or a part of the usage that is not in it.
type row struct {
	usage.Row

	unpriced bool // some tokens have, or may have, no price
}

// newRow returns the row of a part of a usage.
func newRow(u *usage.Usage, r usage.Row) *row { return &row{r, u.HasUnpriced(&r.Values)} }

// A column is a column with numbers.
type column struct {
	head   string // of one or two lines
	needs  usage.Measure
	format func(s style, r *row) string
}

// countColumn is a column for a measure that counts something.
func countColumn(head string, m usage.Measure) column {
	return column{head, m, func(s style, r *row) string { return s.count(r.Values[m]) }}
}

// usageColumns are the columns of tokens and their cost. If they do not fit, the last
// columns are left out.
func usageColumns() []column {
	return []column{
		{"cost", usage.Cost, func(s style, r *row) string {
			c := format.Cost{USD: r.Values.USD(), Unpriced: r.unpriced}
			return c.Text(s.money, none)
		}},
		countColumn("input", usage.InputTokens),
		countColumn("output", usage.OutputTokens),
		{"cache\nwrite", usage.CacheWrite5mTokens, func(s style, r *row) string {
			return s.count(r.Values[usage.CacheWrite5mTokens] + r.Values[usage.CacheWrite1hTokens])
		}},
		countColumn("cache\nread", usage.CacheReadTokens),
		countColumn("requests", usage.Requests),
		{"cache\nhits", usage.CacheReadTokens, func(_ style, r *row) string {
			ratio, ok := r.Values.CacheHitRatio()
			return percentIf(ratio, ok)
		}},
	}
}

func toolColumns() []column {
	return []column{
		countColumn("calls", usage.ToolCalls),
		countColumn("errors", usage.ToolErrors),
		{"error\nratio", usage.ToolErrors, func(_ style, r *row) string {
			ratio, ok := r.Values.ToolErrorRatio()
			return percentIf(ratio, ok)
		}},
		{"mean\ntime", usage.ToolTime, func(_ style, r *row) string {
			if r.Values[usage.ToolResults] == 0 {
				return none
			}
			return format.TableSeconds(r.Values.In(usage.ToolTime) / float64(r.Values[usage.ToolResults]))
		}},
		{"results", usage.ToolResultBytes, func(s style, r *row) string { return s.bytes(r.Values[usage.ToolResultBytes]) }},
	}
}

// rewrittenColumns are the columns of tokens written to the cache again, by reason.
// Errors of tools have reasons, too.
func rewrittenColumns() []column {
	return []column{
		{"cost", usage.RewrittenCost, func(s style, r *row) string { return s.money(r.Values.In(usage.RewrittenCost)) }},
		countColumn("tokens", usage.RewrittenTokens),
		countColumn("tool\nerrors", usage.ToolErrors),
	}
}

func percentIf(ratio float64, ok bool) string {
	if !ok {
		return none
	}
	return format.TablePercent(ratio)
}

// columnsFor returns the columns for the measures that apply: of usage, else of tokens
// written to the cache again, else of tools, else of everything that is left.
func columnsFor(measures []usage.Measure) []column {
	sets := [][]column{usageColumns(), rewrittenColumns(), toolColumns()}
	if !slices.Contains(measures, usage.RewrittenTokens) {
		sets = slices.Delete(sets, 1, 2)
	}
	for _, all := range sets {
		applying := slices.DeleteFunc(all, func(c column) bool { return !slices.Contains(measures, c.needs) })
		if len(applying) > 0 {
			return applying
		}
	}
	var rest []column
	for _, m := range measures {
		rest = append(rest, countColumn(strings.Replace(m.String(), "_", "\n", 1), m))
	}
	return rest
}

// primary returns the number that bars show and that rows with labels are sorted by: of
// the first column.
func primary(measures []usage.Measure) func(*usage.Values) uint64 {
	columns := columnsFor(measures)
	if len(columns) == 0 {
		return func(*usage.Values) uint64 { return 0 }
	}
	if columns[0].needs == usage.InputTokens { // without prices
		return (*usage.Values).Tokens
	}
	return func(v *usage.Values) uint64 { return v[columns[0].needs] }
}
