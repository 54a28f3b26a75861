package usage

import (
	"strings"
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
		want := strings.Join([]string{"17T00:00  1 0", "18T00:00  2 0"}, "\n")
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
