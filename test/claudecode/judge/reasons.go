package judge

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// A Reason explains that no line states an answer, or that its line states lower
// numbers.
type Reason struct {
	Name     string
	Kind     string // of the requests that are on no line
	Versions []version.Range
	// Everywhere is set if old versions have it in every scenario. A scenario lists the
	// other reasons.
	Everywhere bool
	Why        string
}

// Reasons of single answers, which do not depend on the kind of the request.
const (
	CutAnswer   = "cut answer"
	EmptyAnswer = "empty answer"
	Placeholder = "placeholder"
	Race        = "race"
)

var everyVersion = []version.Range{{}}

func versions(from, to string) []version.Range {
	return []version.Range{version.Between(from, to)}
}

// Reasons is the table of answers that are in no file, by version.
var Reasons = []Reason{
	{api.Compaction, api.Compaction, everyVersion, false, "the request of a compaction is written nowhere"},
	{api.WebSearch, api.WebSearch, everyVersion, false, "the request of the WebSearch tool is written nowhere"},
	{api.BashCheck, api.BashCheck, versions("", "2.1.59"), true, "the smallest model was asked about each Bash call"},
	{api.Topic, api.Topic, versions("1.0.60", "2.1.59"), true, "each interactive prompt was checked for a new topic"},
	{api.Suggestion, api.Suggestion, versions("2.1.20", "2.1.70"), true, "the next prompt was suggested, by the main model"},
	{api.Title, api.Title, versions("2.1.97", "2.1.312"), true, "a title was asked for, from 2.1.152 on by the main model"},
	{api.Summary, api.Summary, versions("1.0.30", "2.0.8"), true, "sessions were summarized when one was resumed"},
	{api.Warmup, api.Warmup, versions("2.0.28", "2.1.0"), true, "agents were warmed up at the start"},
	{api.Quota, api.Quota, versions("", ""), true, "the limits of the account were asked for"},
	{CutAnswer, "", everyVersion, false, "the connection broke before a block was finished"},
	{EmptyAnswer, "", everyVersion, false, "the answer had no block"},
	{Placeholder, "", versions("2.1.8", "2.1.58"), true, "lines were written before the final usage came"},
	{Race, "", []version.Range{
		version.Between("1.0.30", "2.0.28"), version.Between("2.0.60", "2.1.7"), version.Between("2.1.59", "2.1.96"),
	}, true, "lines written within 100 ms of the last block have a placeholder"},
	{Race, "sub-agent", versions("2.1.97", "2.1.306"), true, "the same, for sub-agents only"},
}

// applies reports whether a version has a reason.
func (r Reason) applies(v version.Version) bool {
	return slices.ContainsFunc(r.Versions, func(in version.Range) bool { return in.Contains(v) })
}

// lookup returns the reason of a name or kind in a version.
func lookup(v version.Version, matches func(Reason) bool) (Reason, bool) {
	i := slices.IndexFunc(Reasons, func(r Reason) bool { return r.applies(v) && matches(r) })
	if i < 0 {
		return Reason{}, false
	}
	return Reasons[i], true
}

// untold returns why no line states an answer.
func untold(v version.Version, s api.Served) (Reason, bool) {
	return lookup(v, func(r Reason) bool {
		switch {
		case !s.Complete:
			return r.Name == CutAnswer
		case r.Kind != "":
			return r.Kind == s.Kind
		default:
			return r.Name == EmptyAnswer && len(s.Blocks) == 0
		}
	})
}

// lower returns why the lines of an answer repeat the numbers of message_start.
func lower(v version.Version, sidechain bool) (Reason, bool) {
	return lookup(v, func(r Reason) bool {
		return r.Name == Placeholder || r.Name == Race && (r.Kind == "" || sidechain)
	})
}
