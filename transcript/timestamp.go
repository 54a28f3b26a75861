package transcript

import "time"

// stampLayouts are the shapes of a timestamp, the genuine one first: it has
// milliseconds and a Z. Parsing takes a fraction after the seconds in each.
// Without an offset a time is UTC.
var stampLayouts = []string{
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// parseTime returns the milliseconds since the epoch, rounded. It is 0 for
// what is no time, and for years that no session can be from.
func parseTime(stamp string) int64 {
	if stamp == "" {
		return 0
	}
	for _, layout := range stampLayouts {
		t, err := time.Parse(layout, stamp)
		if err != nil {
			continue
		}
		if year := t.UTC().Year(); year < 2000 || year > 2100 {
			return 0
		}
		return t.Round(time.Millisecond).UnixMilli()
	}
	return 0
}
