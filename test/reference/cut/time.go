package cut

import (
	"bytes"
	"encoding/json"
	"regexp"
	"time"

	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

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
		return parseTime(text)
	}
	for _, found := range stamp.FindAllSubmatch(line, -1) {
		if candidate, valid := parseTime(string(found[1])); valid && candidate.After(at) {
			at, ok = candidate, true
		}
	}
	return at, ok
}

func parseTime(s string) (at time.Time, ok bool) {
	ms := naive.ParseTime(s)
	return time.UnixMilli(ms), ms != 0
}
