package naive

import "github.com/ccwatchd/ccwatchd/test/reference/cost"

// afterPause reports for each entry of a file whether it comes more than ten minutes
// after the latest time before it, in whole seconds. Times before 2020 are ignored, and
// later ones than now are now.
func afterPause(f *File, now float64) []bool {
	paused := make([]bool, len(f.Entries))
	latest := int64(0)
	for i, e := range f.Entries {
		stated, ok := cost.ParseTime(e.Text("timestamp"))
		if !ok {
			continue
		}
		at := min(stated.Unix(), int64(now))
		paused[i] = latest > 0 && at-latest > 10*60
		latest = max(latest, at)
	}
	return paused
}
