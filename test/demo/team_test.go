package demo

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const day = 24 * time.Hour

var monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// The same office writes the same files.
func TestSameWork(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	var all [2]map[string]string
	for i := range all {
		dir := t.TempDir()
		team, err := NewOffice(dir, 1, 2, time.Hour, monday)
		if err != nil {
			t.Fatal(err)
		}
		for now := monday; now.Before(monday.Add(8 * time.Hour)); now = now.Add(time.Hour) {
			if _, err := team.Write(now); err != nil {
				t.Fatal(err)
			}
		}
		all[i] = transcripttest.ReadTree(t, dir)
	}
	if bytesOf(all[0]) == 0 || !maps.Equal(all[0], all[1]) {
		t.Errorf("got %d files, then %d, or others", len(all[0]), len(all[1]))
	}
}

func TestWorkingHours(t *testing.T) {
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -11*3600)} {
		o := office{rand.New(rand.NewPCG(1, 0)), zone}
		monday := time.Date(2026, 11, 2, 9, 0, 0, 0, zone).UTC()
		for _, test := range []struct {
			at, earliest time.Time
			now          bool
		}{
			{monday, monday, true},
			{monday.Add(8*time.Hour + 59*time.Minute), monday.Add(8*time.Hour + 59*time.Minute), true},
			{monday.Add(9 * time.Hour), monday.Add(23 * time.Hour), false},
			{monday.Add(-2 * time.Hour), monday.Add(-time.Hour), false},
			{monday.Add(5*day + time.Hour), monday.Add(7*day - time.Hour), false},
			{monday.Add(4*day + 10*time.Hour), monday.Add(7*day - time.Hour), false},
		} {
			got := o.workingHours(test.at)
			late := got.Sub(test.earliest)
			if test.now && late != 0 || late < 0 || late > 2*time.Hour {
				t.Errorf("a person who is free at %v begins at %v", test.at, got)
			}
		}
	}
}
