package reference

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

// anyOrder are families that depend only on the content of the files, except for some
// labels: parts of files may be read in any order.
var anyOrder = append([]string{
	"claude_tokens_total", "claude_thinking_tokens_total", "claude_compaction_duration_seconds", "claude_compaction_saved_tokens_total",
	"claude_requests_by_mode_total", "claude_requests_by_entrypoint_total", "claude_requests_by_version_range_total", "claude_hook_runs_total",
	"claude_commits_total", "claude_pull_requests_total", "claude_files_touched_total", "claude_background_tasks_total", "claude_skill_calls_total",
	"claude_attributed_requests_total", "claude_attributed_tokens_total", "claude_subagent_requests_total", "claude_subagent_tokens_total",
}, naive.CostFamilies()...)

// DiffAnyOrder is DiffSeries for a daemon that read the files while they were written,
// with labels of the source.
func DiffAnyOrder(want naive.Totals, got exposition.Samples, source ...model.LabelName) exposition.Differences[string, float64] {
	return DiffSeries(want, got, anyOrder, append(source, "project", "agent", "permission_mode", "type", "mcp_server")...)
}

// DiffSeries returns the series of some families that do not have the value in an
// exposition that the second implementation expects. A counter that is 0 may be
// missing. Dollars are in 10^-9. Series are summed over the labels in without.
func DiffSeries(want naive.Totals, got exposition.Samples, families []string, without ...model.LabelName) exposition.Differences[string, float64] {
	sums, wanted, exposed := make(naive.Totals), make(map[string]float64), make(map[string]float64)
	for _, s := range want {
		if slices.Contains(families, string(s.Labels[model.MetricNameLabel])) {
			sums.Merge(naive.Totals{"": {Labels: drop(s.Labels, without), Value: s.Value, Observed: s.Observed}})
		}
	}
	for series, s := range sums {
		if s.Observed == nil {
			wanted[series] = s.Value
			continue
		}
		count := maps.Clone(s.Labels)
		count[model.MetricNameLabel] += "_count"
		wanted[count.String()] = float64(len(s.Observed))
	}
	for _, s := range got {
		s.Labels = drop(s.Labels, without)
		switch {
		case !slices.Contains(families, s.Family):
		case s.Name() != s.Family:
			wanted[s.Series()] = observed(sums, s)
			exposed[s.Series()] += s.Value
		case strings.HasSuffix(s.Family, "_usd_total"):
			// Rounding restores every amount below 2^51, which is over two million dollars.
			exposed[s.Series()] += math.Round(s.Value * 1e9)
		default:
			exposed[s.Series()] += s.Value
		}
	}
	return exposition.Diff(wanted, exposed, func(series string, a, b float64) bool {
		name, _, _ := strings.Cut(series, "{")
		isSeconds := strings.HasSuffix(name, "_sum") || strings.HasSuffix(name, "_seconds_total")
		return a == b || isSeconds && math.Abs(a-b) <= 1e-9*max(1, math.Abs(a))
	})
}

func drop(m model.Metric, labels []model.LabelName) model.Metric {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(name model.LabelName, _ model.LabelValue) bool { return slices.Contains(labels, name) })
	return m
}

// observed returns the expected value of a sample of a histogram.
func observed(want naive.Totals, s exposition.Sample) (n float64) {
	labels := maps.Clone(s.Labels)
	labels[model.MetricNameLabel] = model.LabelValue(s.Family)
	delete(labels, model.BucketLabel)
	series, ok := want[labels.String()]
	if !ok {
		return 0
	}
	bound, err := strconv.ParseFloat(string(s.Labels[model.BucketLabel]), 64)
	for _, v := range series.Observed {
		switch {
		case strings.HasSuffix(s.Name(), "_sum"):
			n += v
		case err != nil || v <= bound:
			n++
		}
	}
	return n
}
