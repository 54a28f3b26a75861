package cut

import (
	"bytes"
	"encoding/json"
	"regexp"
	"time"
)

// earliest is the time before which there were no transcripts. ccwatchd takes an
// earlier time for none.
var earliest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// stamp matches a time somewhere in a line.
var stamp = regexp.MustCompile(`"timestamp":"([^"]*)"`)

// timeOf returns the time of a line, to the millisecond. A malformed line has the
// latest of the times that it contains.
func timeOf(line []byte) (at time.Time, ok bool) {
	line = bytes.Trim(line, "\ufeff\x00 \t\r\n")
	if json.Valid(line) {
		var entry struct {
			Timestamp any `json:"timestamp"`
		}
		if json.Unmarshal(line, &entry) != nil {
			return at, false
		}
		text, _ := entry.Timestamp.(string)
		return parse(text)
	}
	for _, found := range stamp.FindAllSubmatch(line, -1) {
		if one, valid := parse(string(found[1])); valid && one.After(at) {
			at, ok = one, true
		}
	}
	return at, ok
}

func parse(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, text)
	at = at.UTC().Round(time.Millisecond)
	return at, err == nil && !at.Before(earliest)
}
