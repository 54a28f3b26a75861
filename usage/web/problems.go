package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A problem is something that the user should know about the numbers.
type problem struct {
	Text   string
	Advice string // what to do
	Page   string // of the documentation
}

// An unpricedModel is a model without a known price.
type unpricedModel struct {
	Name   string
	Tokens uint64
}

// problems returns the problems of the daemon and of the usage that is shown.
func (f *frame) problems(now time.Time) (all []problem) {
	for _, text := range f.Status.Problems {
		all = append(all, problem{Text: visible(text) + ".", Advice: "How to solve it", Page: "operations.md#troubleshooting"})
	}
	u := f.Usage
	if u != nil && len(u.Unpriced) > 0 {
		all = append(all, unpricedProblem(u.Unpriced))
	}
	if u != nil && u.Folded > 0 && f.Exported {
		all = append(all, foldedProblem(u.Folded))
	}
	if p, ok := formatProblem(&f.Status); ok {
		all = append(all, p)
	}
	if r := f.LimitsRefused; r != nil && r.Reports > 0 {
		text := fmt.Sprintf("This ccwatchd refuses the usage limits that status lines report, because %s, until its configuration accepts them.", r.Reason)
		all = append(all, problem{Text: text, Advice: "How to accept them", Page: "terminal.md#who-may-report-limits"})
	}
	if last := f.LastError; last != nil {
		text := fmt.Sprintf("The last error, %s ago: %s", format.Duration(max(0, now.Sub(last.Time))), visible(last.Text))
		all = append(all, problem{Text: strings.TrimSuffix(text, ".") + ".", Advice: "What errors mean", Page: "operations.md#troubleshooting"})
	}
	return all
}

// unpricedProblem lists models without a price.
func unpricedProblem(unpriced []unpricedModel) problem {
	const most = 5
	var names []string
	for i, m := range unpriced {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(unpriced)-most))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s tokens)", shown(m.Name), format.Short(float64(m.Tokens))))
	}
	return problem{
		Text:   "Missing in the costs are models without a known price: " + strings.Join(names, ", ") + ".",
		Advice: "Update ccwatchd, or add a price", Page: "pricing.md#prices-of-your-own",
	}
}

// foldedProblem explains that servers do not see all projects by name.
func foldedProblem(projects int) problem {
	return problem{
		Text:   fmt.Sprintf("Prometheus sees %s together as \"other\": /metrics exposes no more by name. This page has all.", format.Count(projects, "project", "projects")),
		Advice: "Expose more, or give several one name", Page: "configuration.md#how-many-values-a-label-has",
	}
}

// formatProblem lists the unknown parts of the format that may be missing in the
// counters.
func formatProblem(s *status.Status) (p problem, ok bool) {
	var names []string
	for _, item := range s.UnknownFormat {
		if slices.Contains(transcript.AlarmingKinds, item.Kind) {
			names = append(names, shown(item.Name))
		}
	}
	if len(names) == 0 {
		return p, false
	}
	const most = 8
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return problem{
		Text:   "Claude Code wrote elements that this version of ccwatchd does not know, so counters may be incomplete: " + list + ".",
		Advice: "Update ccwatchd, or report the names", Page: "alerts.md#ccwatchdformatunknown",
	}, true
}
