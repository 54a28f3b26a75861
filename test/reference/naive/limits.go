package naive

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// limitsRule implements docs/design/counting.md for limits that were reached.
func limitsRule() Rule {
	return Rule{[]string{"claude_limit_hits_total", "claude_limit_hit_reset_timestamp_seconds"}, func(tree *Tree, totals Totals) {
		counted := make(set)
		for l := range tree.lines() {
			if l.Text("type") != "assistant" || l.At("isApiErrorMessage") != true {
				continue
			}
			window, resets, key := l.limitHit()
			if window != "" && counted.first(window, key) {
				totals.Add(1, "claude_limit_hits_total", "window", window)
			}
			if window == "five_hour" && l.Number("quotaLimits", "resetsAt") == 0 {
				resets = l.textEnd()
			}
			if resets > 0 && l.at <= tree.Now {
				totals.Raise(float64(resets)/1000, "claude_limit_hit_reset_timestamp_seconds", "window", window)
			}
		}
	}}
}

// namedWindows are the windows by the words of a notice, in order.
var namedWindows = [][2]string{
	{"opus", "seven_day_opus"}, {"sonnet", "seven_day_sonnet"}, {"fable", "seven_day_overage_included"}, {"week", "seven_day"}, {"session", "five_hour"},
	{"5-hour", "five_hour"}, {"spend", "overage"}, {"extra usage", "overage"}, {"usage credits", "overage"}, {"", "unknown"},
}

var aboutLimit = regexp.MustCompile(`^[^·∙]*(hit your|reached your|limit reached|out of extra usage|out of usage credits)`)

// limitHit returns the window of an error, "" if it is not about a limit, the end of
// the window, 0 if it is unknown, and the key of the hit.
func (l *Line) limitHit() (window string, ends int64, key string) {
	var texts []string
	for _, block := range l.Objects("message", "content") {
		if block.Text("type") == "text" {
			texts = append(texts, block.Text("text"))
		}
	}
	text := strings.Join(texts, " ")
	notice := strings.FieldsFunc(strings.ToLower(text)+"·", func(c rune) bool { return c == '·' || c == '∙' })
	resets := l.Number("quotaLimits", "resetsAt")
	if window = l.Text("quotaLimits", "rateLimitType"); isText(l.At("quotaLimits", "rateLimitType")) && l.At("quotaLimits", "status") == "rejected" {
		window = cmp.Or(window, "unknown")
	} else {
		credits := l.At("apiError") == "model_requires_usage_credits"
		limited := l.At("error") == "rate_limit" || l.At("error") == nil || credits
		if !limited || !aboutLimit.MatchString(strings.ToLower(text)) || strings.Contains(notice[0], "rate limit") {
			return "", 0, ""
		}
		if _, err := fmt.Sscanf(notice[0], "claude ai usage limit reached|%f", &resets); err != nil {
			resets = 0
		}
		at := slices.IndexFunc(namedWindows, func(named [2]string) bool { return strings.Contains(notice[0], named[0]) })
		if window = namedWindows[at][1]; window == "unknown" && credits {
			window = "seven_day_overage_included"
		}
	}
	const month = 32 * 24 * 60 * 60 * 1000
	ahead := int64(resets)*1000 - l.at
	switch {
	case l.at > 0 && ahead > 0 && ahead <= month:
		return window, int64(resets) * 1000, time.Unix(int64(resets), 0).Round(time.Minute).String()
	case l.at == 0:
		return window, 0, l.id()
	}
	return window, 0, text + time.UnixMilli(l.at).UTC().Format(time.DateOnly)
}

// textEnd returns the end of a window of five hours that the text of an error states
// with its time zone: the first such time after the error, unless it is too late.
func (l *Line) textEnd() int64 {
	for _, block := range l.Objects("message", "content") {
		_, stated, _ := strings.Cut(block.Text("text"), " resets ")
		clock, zone, _ := strings.Cut(strings.TrimSuffix(stated, ")"), " (")
		in, err := time.LoadLocation(zone)
		if err != nil || zone == "" || l.at == 0 {
			continue
		}
		for _, layout := range []string{"3:04pm", "3pm"} {
			at, err := time.Parse(layout, clock)
			hit := time.UnixMilli(l.at).In(in)
			end := time.Date(hit.Year(), hit.Month(), hit.Day(), at.Hour(), at.Minute(), 0, 0, in)
			if !end.After(hit) {
				end = end.AddDate(0, 0, 1)
			}
			if err == nil && end.Sub(hit) <= 5*time.Hour+15*time.Minute {
				return end.UnixMilli()
			}
		}
	}
	return 0
}
