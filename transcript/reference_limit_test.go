package transcript

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
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
func refLimitHit(o refObject, class, text string) *LimitHit {
	key := KeyOf("limit text", text)
	if quota := o.object("quotaLimits"); quota != nil && quota.is("status", "rejected") && strings.HasPrefix(string(quota["rateLimitType"]), `"`) {
		window := Clean(quota.str("rateLimitType"))
		if window == "" {
			window = "unknown"
		}
		seconds, _ := quota.count("resetsAt")
		return &LimitHit{window, refMilli(seconds), key}
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
	return hit
}

func refMilli(seconds uint64) int64 {
	if ms := seconds * 1000; seconds < 1<<40 {
		return int64(ms)
	}
	return 0
}
