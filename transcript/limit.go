package transcript

import (
	"slices"
	"strconv"
	"strings"
)

// A LimitHit is what an API error states about the usage limit that it was refused for.
type LimitHit struct {
	Window string // one of LimitWindows
	Resets int64  // when usage is possible again, in milliseconds; 0 if not stated
	Text   Key    // digest of the message, which often has the time as text
}

// windowUnknown is the window of errors that do not name one, windowOther one that is
// not known.
const (
	windowUnknown = "unknown"
	windowOther   = "other"
)

// limitHit reads the usage limit of an API error, nil if there is none. Claude Code
// states it since version 2.1.260 or so; before, and for limits on spending, only the
// text does.
func (p *Parser) limitHit(class, text string) *LimitHit {
	hit := LimitHit{Text: KeyOf("limit text", text)}
	quota := p.member("quotaLimits")
	if quota.isObject() && quota.member("status").is("rejected") && quota.member("rateLimitType").isString() {
		hit.Window = limitWindow(quota.member("rateLimitType").str())
		hit.Resets = unixMilli(quota.member("resetsAt").countOrZero())
		return &hit
	}
	if class != "rate_limit" {
		return nil
	}
	notice := limitNotice(text)
	if hit.Window = windowInText(notice); hit.Window == "" {
		return nil
	}
	if _, seconds, ok := strings.Cut(notice, "|"); ok { // of the first versions
		n, _ := strconv.ParseUint(strings.TrimSpace(seconds), 10, 63)
		hit.Resets = unixMilli(n)
	}
	return &hit
}

func limitWindow(stated string) string {
	if slices.Contains(LimitWindows, stated) {
		return stated
	}
	return windowOther
}

// unixMilli converts seconds since the epoch, 0 if no limit can be that long.
func unixMilli(seconds uint64) int64 {
	if seconds >= 1<<40 {
		return 0
	}
	return int64(seconds) * 1000
}

// limitNotice returns the part of a message that names a limit, in lower case. When it
// resets and what to do about it follow after a dot.
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
	case has("week"):
		return "seven_day"
	case has("session", "5-hour"):
		return "five_hour"
	case has("spend", "extra usage", "usage credits"):
		return "overage"
	}
	return windowUnknown
}
