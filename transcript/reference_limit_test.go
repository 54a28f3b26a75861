package transcript

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// refNotice matches the messages about usage limits, with the reset time and advice
// after them.
var (
	refNotice  = regexp.MustCompile(`hit your|reached your|limit reached|out of extra usage|out of usage credits`)
	refWindows = []struct{ window, pattern string }{
		{"seven_day_opus", `opus`}, {"seven_day_sonnet", `sonnet`}, {"seven_day_overage_included", `fable`}, {"seven_day", `week`},
		{"five_hour", `session|5-hour`}, {"overage", `spend|extra usage|usage credits`}, {"unknown", ``},
	}
)

// refLimitHit is a second implementation of limitHit.
func refLimitHit(o refObject, class, text string, at int64) *LimitHit {
	key := KeyOf("limit text", text)
	if quota := o.object("quotaLimits"); quota != nil && quota.is("status", "rejected") && strings.HasPrefix(string(quota["rateLimitType"]), `"`) {
		window := Clean(quota.str("rateLimitType"))
		if window == "" {
			window = "unknown"
		}
		seconds, _ := quota.count("resetsAt")
		return &LimitHit{Window: window, Resets: refMilli(seconds), Text: key}
	}
	notice := strings.ToLower(regexp.MustCompile(`[·∙](?s:.*)`).ReplaceAllString(text, ""))
	credits := o.is("apiError", "model_requires_usage_credits")
	if class != "rate_limit" && !credits || strings.Contains(notice, "rate limit") || !refNotice.MatchString(notice) {
		return nil
	}
	hit := &LimitHit{Text: key}
	if parts := strings.SplitN(notice, "|", 2); len(parts) == 2 {
		seconds, _ := strconv.ParseUint(strings.TrimSpace(parts[1]), 10, 63)
		hit.Resets = refMilli(seconds)
	}
	for _, w := range slices.Backward(refWindows) {
		if regexp.MustCompile(w.pattern).MatchString(notice) {
			hit.Window = w.window
		}
	}
	if credits && hit.Window == "unknown" {
		hit.Window = "seven_day_overage_included"
	}
	if hit.Window == "five_hour" && hit.Resets == 0 && at > 0 {
		hit.Until = refUntil(text, at)
	}
	return hit
}

// refUntil tries every minute of the next five hours and a quarter.
func refUntil(text string, at int64) int64 {
	m := regexp.MustCompile(`[·∙] *(?i:resets) ([0-9]+)(:[0-9][0-9])? ?(?i:([ap])m) \(([\w+/-]+)\)`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	zone, err := time.LoadLocation(m[4])
	if err != nil || m[4] == "Local" {
		return 0
	}
	if m[2] == "" {
		m[2] = ":00"
	}
	for minute := at/60_000 + 1; minute*60_000-at <= 315*60_000; minute++ {
		t := time.UnixMilli(minute * 60_000).In(zone)
		if t.Format("3:04pm") == strings.TrimPrefix(m[1], "0")+m[2]+strings.ToLower(m[3])+"m" && len(m[1]) <= 2 {
			return t.UnixMilli()
		}
	}
	return 0
}

func refMilli(seconds uint64) int64 {
	if ms := seconds * 1000; seconds < 1<<40 {
		return int64(ms)
	}
	return 0
}
