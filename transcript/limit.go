package transcript

import (
	"cmp"
	"strconv"
	"strings"
)

// A LimitHit is the usage limit that an API error states as its cause.
type LimitHit struct {
	Window string // as stated, cleaned, or the element of LimitWindows that the text names, or "unknown"
	Resets int64  // when usage is possible again, in milliseconds; 0 if not stated
	// Until is the same for five_hour, from the text if Resets is not stated.
	Until int64
	Text  Key // digest of the message, which often has the time as text
}

const (
	// windowUnknown is the window of errors that name no window.
	windowUnknown = "unknown"
	fiveHours     = "five_hour"
	// windowOfModels is the weekly window of models that continue with usage credits
	// once it is full, such as Fable.
	windowOfModels = "seven_day_overage_included"
)

// limitHit reads the usage limit of an API error at a time, nil without a limit. Claude
// Code states it since version 2.1.260 or so; in earlier versions, and for limits on
// spending, only the text names it.
func (p *Parser) limitHit(class, text string, at int64) *LimitHit {
	hit := LimitHit{Text: KeyOf("limit text", text)}
	quota := p.member("quotaLimits")
	if quota.isObject() && quota.member("status").is("rejected") && quota.member("rateLimitType").isString() {
		hit.Window = cmp.Or(Clean(quota.member("rateLimitType").str()), windowUnknown)
		hit.Resets = unixMilli(quota.member("resetsAt").countOrZero())
		return &hit
	}
	ofModel := p.raw.apiError.is("model_requires_usage_credits")
	if class != "rate_limit" && !ofModel {
		return nil
	}
	notice := limitNotice(text)
	switch hit.Window = windowInText(notice); {
	case hit.Window == "":
		return nil
	case hit.Window == windowUnknown && ofModel:
		hit.Window = windowOfModels
	}
	if _, seconds, ok := strings.Cut(notice, "|"); ok { // as the first versions wrote
		n, _ := strconv.ParseUint(strings.TrimSpace(seconds), 10, 63)
		hit.Resets = unixMilli(n)
	}
	if hit.Window == fiveHours && hit.Resets == 0 {
		hit.Until = resetInText(text, at)
	}
	return &hit
}

// unixMilli converts seconds since the epoch, 0 if no limit can be that long.
func unixMilli(seconds uint64) int64 {
	if seconds >= 1<<40 {
		return 0
	}
	return int64(seconds) * 1000
}

// limitNotice returns the part of a message that names a limit, in lower case. The
// reset time and advice follow after a dot.
func limitNotice(text string) string {
	if end := strings.IndexAny(text, "·∙"); end >= 0 {
		text = text[:end]
	}
	return strings.ToLower(text)
}

// windowInText returns the window that a notice in lower case names, "" if it is not
// about a usage limit but, for example, about too many requests at once.
func windowInText(notice string) string {
	has := func(parts ...string) bool { return containsAny([]byte(notice), parts...) }
	switch {
	case has("rate limit"), !has("hit your", "reached your", "limit reached", "out of extra usage", "out of usage credits"):
		return ""
	case has("opus"):
		return "seven_day_opus"
	case has("sonnet"):
		return "seven_day_sonnet"
	case has("fable"):
		return windowOfModels
	case has("week"):
		return "seven_day"
	case has("session", "5-hour"):
		return fiveHours
	case has("spend", "extra usage", "usage credits"):
		return "overage"
	}
	return windowUnknown
}
