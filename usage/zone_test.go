package usage

import (
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/ledgertest"
)

// Days are exact to the half hour of a time zone, also where the history is coarse.
func TestHalfHourZones(t *testing.T) {
	for _, test := range []struct {
		zone   string
		offset time.Duration // ahead of UTC
	}{
		{"UTC", 0}, {"Asia/Tokyo", 9 * time.Hour},
		{"Asia/Kolkata", 5*time.Hour + 30*time.Minute}, {"America/St_Johns", -(3*time.Hour + 30*time.Minute)},
		{"Australia/Adelaide", 10*time.Hour + 30*time.Minute},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		midnight := time.Date(2026, 11, 18, 0, 0, 0, 0, zone)
		before, after := midnight.Add(-time.Minute), midnight.Add(time.Minute)
		if _, offset := midnight.Zone(); time.Duration(offset)*time.Second != test.offset {
			t.Fatalf("%s: got offset %d", test.zone, offset)
		}
		const want = "17T00:00  1 0\n18T00:00  2 0"
		for name, detailed := range map[string]time.Duration{"fine": 62 * 24 * time.Hour, "coarse": time.Millisecond} {
			o := ledgertest.Options()
			o.FineHistory = detailed.Milliseconds()
			h := recordWith(t, o,
				request{at: before.UTC().Format(time.RFC3339), project: "web", model: "opus", input: 1, output: 10},
				request{at: after.UTC().Format(time.RFC3339), project: "web", model: "opus", input: 2, output: 10})
			if got := rows(t, h, Query{Step: Day, Location: zone}); got != want {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", test.zone, name, got, want)
			}
		}
	}
}

// A zone has a name or an offset.
func TestParseZone(t *testing.T) {
	for name, want := range map[string]int{"UTC": 0, "Asia/Tokyo": 9 * 3600, "+05:30": 19800, "-12:00": -12 * 3600, "+14:00": 14 * 3600, "+12:45": 45900} {
		zone, err := ParseZone(name)
		if err != nil || zone.String() != name {
			t.Errorf("%s: got %v, %v", name, zone, err)
			continue
		}
		if _, offset := now.In(zone).Zone(); offset != want {
			t.Errorf("%s: got offset %d, want %d", name, offset, want)
		}
	}
	for _, name := range []string{"+14:15", "-12:15", "+05:31", "+5:30", "+99:00", "../../etc/passwd", "Mars"} {
		if zone, err := ParseZone(name); err == nil {
			t.Errorf("%s: got %v", name, zone)
		}
	}
}
