package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// sessionLength is the length of the window that texts name a session, and somewhat
// more, since clocks differ.
const sessionLength = 5*time.Hour + 15*time.Minute

// resetText matches the end of a window in the text of an error, such as "resets
// 3:50pm (Europe/Berlin)". A text with a date is not about a window of five hours, and
// a time without a zone is of an unknown one.
var resetText = regexp.MustCompile(`(?i)[·∙] *resets (\d{1,2})(?::(\d{2}))? ?(am|pm) \(([A-Za-z0-9_+/-]+)\)`)

// resetInText returns the end of a window of five hours that the text of an error at a
// time states, in milliseconds; 0 if it states none that can be true.
func resetInText(text string, at int64) int64 {
	m := resetText.FindStringSubmatch(text)
	if m == nil || at == 0 || m[4] == "Local" {
		return 0
	}
	zone, err := time.LoadLocation(m[4])
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2]) // none is 0
	if err != nil || hour < 1 || hour > 12 || minute > 59 {
		return 0
	}
	if hour %= 12; strings.EqualFold(m[3], "pm") {
		hour += 12
	}
	hit := time.UnixMilli(at).In(zone)
	year, month, day := hit.Date()
	for _, day := range []int{day, day + 1} {
		resets := time.Date(year, month, day, hour, minute, 0, 0, zone)
		if ahead := resets.Sub(hit); 0 < ahead && ahead <= sessionLength {
			return resets.UnixMilli()
		}
	}
	return 0
}
