package transcript

import (
	"fmt"
	"testing"
	"time"
)

func checkTime(t *testing.T, stamp string) {
	t.Helper()
	if got, want := parseTime([]byte(stamp)), parseAnyTime(stamp); got != want {
		t.Errorf("parseTime(%q) = %d, want %d", stamp, got, want)
	}
}

func TestParseTime(t *testing.T) {
	for _, tt := range []struct {
		stamp string
		want  int64
	}{
		{"2026-02-03T04:05:06.789Z", 1770091506789},
		{"2000-01-01T00:00:00.000Z", 946684800000},
		{"2100-12-31T23:59:59.999Z", 4133980799999},
		{"2026-02-03T04:05:06Z", 1770091506000},
		{"2026-02-03T04:05:06.7Z", 1770091506700},
		{"2026-02-03T04:05:06.7894Z", 1770091506789},
		{"2026-02-03T04:05:06.789999999Z", 1770091506790},
		{"2026-02-03T05:05:06.789+01:00", 1770091506789},
		{"2026-02-02T22:05:06.789-0600", 1770091506789},
		{"2026-02-03 04:05:06.789Z", 1770091506789},
		{"2026-02-03T04:05:06.789", 1770091506789},
		{"2026-02-03 04:05:06", 1770091506000},

		{"1999-12-31T23:59:59.999Z", 0},
		{"2101-01-01T00:00:00.000Z", 0},
		{"2000-01-01T00:30:00+01:00", 0},
		{"1999-12-31T23:30:00-01:00", 946686600000},
		{"0001-01-01T00:00:00Z", 0},
		{"9999-12-31T23:59:59Z", 0},
		{"2026-02-30T00:00:00Z", 0},
		{"2026-02-03T24:00:00Z", 0},
		{"2026-02-03T04:05:60Z", 0},
		{"1770091506789", 0},
		{" 2026-02-03T04:05:06.789Z", 0},
		{"now", 0},
		{"", 0},
	} {
		equal(t, tt.stamp, parseTime([]byte(tt.stamp)), tt.want)
	}
}

// All timestamps that differ in one byte from a usual timestamp.
func TestTimeNearUsual(t *testing.T) {
	for _, stamp := range []string{"2026-02-03T04:05:06.789Z", "2000-01-01T00:00:00.000Z", "2100-12-28T23:59:59.999Z", "2024-02-29T20:59:60.000Z"} {
		checkTime(t, stamp)
		for i := range len(stamp) + 1 {
			checkTime(t, stamp[:i])
			checkTime(t, stamp[i:])
			for c := range 256 {
				checkTime(t, stamp[:i]+string([]byte{byte(c)})+stamp[i:])
				if i < len(stamp) {
					checkTime(t, stamp[:i]+string([]byte{byte(c)})+stamp[i+1:])
				}
			}
			if i < len(stamp) {
				checkTime(t, stamp[:i]+stamp[i+1:])
			}
		}
	}
}

// TestTimeFields checks all values of every field, including invalid values.
func TestTimeFields(t *testing.T) {
	const shape = "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ"
	for _, year := range []int{0, 1969, 1970, 1999, 2000, 2001, 2004, 2024, 2025, 2026, 2038, 2096, 2099, 2100, 2101, 9999} {
		for month := range 14 {
			for day := range 33 {
				checkTime(t, fmt.Sprintf(shape, year, month, day, 23, 59, 59, 999))
			}
		}
	}
	for n := range 100 {
		checkTime(t, fmt.Sprintf(shape, 2026, 2, 3, n, 0, 0, 0))
		checkTime(t, fmt.Sprintf(shape, 2026, 2, 3, 0, n, 0, 0))
		checkTime(t, fmt.Sprintf(shape, 2026, 2, 3, 0, 0, n, 0))
	}
	for n := range 1000 {
		checkTime(t, fmt.Sprintf(shape, 2026, 2, 3, 4, 5, 6, n))
	}
}

// Usual timestamps of more than a century decode to the time that was formatted.
func TestTimeRoundTrip(t *testing.T) {
	for at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= 2100; at = at.Add(7*time.Hour + 13*time.Minute + 17*time.Second + 123*time.Millisecond) {
		stamp := at.Format("2006-01-02T15:04:05.000Z")
		if got := parseTime([]byte(stamp)); got != at.UnixMilli() {
			t.Fatalf("parseTime(%s) = %d, want %d", stamp, got, at.UnixMilli())
		}
		_, fast := parseUsualTime([]byte(stamp))
		equal(t, stamp+" takes the fast path", fast, at.Day() <= 28 && at.Year() < 2100)
	}
}

func FuzzTime(f *testing.F) {
	for _, stamp := range []string{"2026-02-03T04:05:06.789Z", "2026-02-03 04:05:06,789123456+01:00", "2026-02-03T04:05:06-0600", "2026-02-29T04:05:06", ""} {
		f.Add(stamp)
	}
	f.Fuzz(checkTime)
}
