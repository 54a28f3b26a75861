package transcript

import (
	"encoding/binary"
	"time"
)

// stampLayouts are the accepted layouts of a timestamp. time.Parse accepts fractional
// seconds in all of them. A time without an offset is UTC.
var stampLayouts = []string{
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
}

// parseTime returns the time in milliseconds since the epoch, rounded. It returns 0 for
// anything that is not a time, and for years that no session can be from.
func parseTime(stamp []byte) int64 {
	if len(stamp) == 0 {
		return 0
	}
	if t, ok := parseUsualTime(stamp); ok {
		return t
	}
	return parseAnyTime(string(stamp))
}

func parseAnyTime(stamp string) int64 {
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

// stampWords are the words of the layout that Claude Code writes.
var stampWords = [...]stampWord{newStampWord("0000-00-"), newStampWord("00T00:00"), newStampWord(":00.000Z")}

// A stampWord is eight bytes of a layout. Its zeros stand for any digit.
type stampWord struct {
	layout uint64
	above  uint64 // carries into the high bit of each byte that differs too much from the layout
}

func newStampWord(layout string) (w stampWord) {
	for i := range layout {
		largest := uint64(0)
		if layout[i] == '0' {
			largest = 9
		}
		w.layout |= uint64(layout[i]) << (8 * i)
		w.above |= (0x7f - largest) << (8 * i)
	}
	return w
}

// daysBefore is the number of days before each month of a year without February 29.
var daysBefore = [...]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}

const daysBefore2000 = 10957 // since 1970

// parseUsualTime parses the layout that Claude Code writes, 2006-01-02T15:04:05.000Z,
// many times as fast as parseAnyTime. ok is false for all other layouts, for days after
// the 28th of a month, and for years before 2000 or after 2099.
func parseUsualTime(s []byte) (millis int64, ok bool) {
	if len(s) != 8*len(stampWords) {
		return 0, false
	}
	var digits [len(stampWords)]uint64 // one in each byte
	var wrong uint64
	for i, word := range stampWords {
		d := binary.LittleEndian.Uint64(s[8*i:]) ^ word.layout
		digits[i], wrong = d, wrong|d|(d+word.above)
	}
	if wrong&highs != 0 {
		return 0, false
	}
	date, clock, rest := digits[0], digits[1], digits[2]
	year, month, day := 100*twoDigits(date)+twoDigits(date>>16)-2000, twoDigits(date>>40), twoDigits(clock)
	hour, minute, second := twoDigits(clock>>24), twoDigits(clock>>48), twoDigits(rest>>8)
	if uint(year) > 99 || uint(month-1) > 11 || uint(day-1) > 27 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	leapDays := (year + 3) / 4 // of the years before
	if year%4 == 0 && month > 2 {
		leapDays++
	}
	days := daysBefore2000 + 365*year + leapDays + daysBefore[month-1] + day - 1
	seconds := 86400*int64(days) + int64(3600*hour+60*minute+second)
	return 1000*seconds + int64(10*twoDigits(rest>>32)+int(rest>>48&0xff)), true
}

// twoDigits returns the number whose digits are in the lowest two bytes.
func twoDigits(digits uint64) int { return int(10*(digits&0xff) + digits>>8&0xff) }
