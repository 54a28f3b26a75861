package ledger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// versionLine is a line of a message of a version, some days before birth.
func versionLine(version string, days int64) transcript.Entry {
	key := transcript.KeyOf(version, fmt.Sprint(days))
	return transcript.Entry{Type: "assistant", Time: birth - days*dayMillis, Message: &transcript.Message{
		Key: key, Model: "opus", StopReason: "end_turn", RequestAttributes: transcript.RequestAttributes{Version: version},
	}}
}

// shownBy returns the versions in a snapshot, each with its source.
func shownBy(l *Ledger) string {
	var all []string
	for _, v := range l.Snapshot(birth).Versions {
		all = append(all, v.Version+v.Source.Labels()["user"])
	}
	return strings.Join(all, " ")
}

// A snapshot shows the newest eight versions that made a request within 30 days before
// the newest request of their source, whatever the order of the lines, and so does a
// ledger that is saved and read back.
func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []transcript.Entry
		want  string
	}{
		{name: "none", lines: []transcript.Entry{versionLine("", 0)}},
		{name: "by number", lines: []transcript.Entry{versionLine("2.1.9", 1), versionLine("2.1.10", 2), versionLine("10", 3), versionLine("2.1", 1)}, want: "10 2.1.10 2.1.9 2.1"},
		{name: "equal numbers", lines: []transcript.Entry{versionLine("2.1", 1), versionLine("2.1.0", 2)}, want: "2.1 2.1.0"},
		{name: "30 days", lines: []transcript.Entry{versionLine("2.1.3", 31), versionLine("2.1.2", 30), versionLine("2.1.1", 0)}, want: "2.1.2 2.1.1"},
		{name: "used again", lines: []transcript.Entry{versionLine("2.1.3", 41), versionLine("2.1.3", 11), versionLine("2.1.1", 10)}, want: "2.1.3 2.1.1"},
		{name: "not used recently", lines: []transcript.Entry{versionLine("2.1.3", 1000), versionLine("2.1.2", 1010)}, want: "2.1.3 2.1.2"},
		{name: "in the future", lines: []transcript.Entry{versionLine("99", -100), versionLine("2.1.3", 20)}, want: "2.1.3"},
		{name: "without a time", lines: []transcript.Entry{{Type: "assistant", Message: versionLine("99", 0).Message}, versionLine("2.1.3", 40)}, want: "2.1.3"},
		{name: "invalid", lines: []transcript.Entry{versionLine("2.1.3-x", 1)}},
		{
			name: "many", lines: []transcript.Entry{
				versionLine("2.1.1", 1), versionLine("2.1.2", 1), versionLine("2.1.3", 1), versionLine("2.1.4", 1), versionLine("2.1.5", 1),
				versionLine("2.1.6", 1), versionLine("2.1.7", 1), versionLine("2.1.8", 1), versionLine("2.1.90", 40), versionLine("2.1.10", 1),
			},
			want: "2.1.10 2.1.8 2.1.7 2.1.6 2.1.5 2.1.4 2.1.3 2.1.2",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			for range 10 {
				l := New(testOptions(), birth)
				l.Open(testFile(1, "a.jsonl"))
				for _, e := range tt.lines {
					l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e}})
					l = reopened(t, l)
				}
				if got := shownBy(l); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				r.Shuffle(len(tt.lines), func(i, j int) { tt.lines[i], tt.lines[j] = tt.lines[j], tt.lines[i] })
			}
		})
	}
}

// Each source has its own versions. A snapshot that is filled again has no other
// versions.
func TestVersionsOfSources(t *testing.T) {
	l := New(testOptions(), birth)
	var s Snapshot
	for i, user := range []string{"bob", "ann"} {
		f := testFile(FileID(i+1), "a.jsonl")
		f.Source = counters.NewSourceLabels(map[string]string{"user": user})
		l.Open(f)
		for n := range 10 + i {
			line := versionLine(fmt.Sprintf("2.1.%d", n), 0)
			l.AddBatch(&Batch{File: f.ID, Now: birth, Entries: []transcript.Entry{line}})
			l.SnapshotInto(&s, birth)
		}
	}
	const want = "2.1.10ann 2.1.9ann 2.1.8ann 2.1.7ann 2.1.6ann 2.1.5ann 2.1.4ann 2.1.3ann " +
		"2.1.9bob 2.1.8bob 2.1.7bob 2.1.6bob 2.1.5bob 2.1.4bob 2.1.3bob 2.1.2bob"
	if got := shownBy(l); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !slices.Equal(s.Versions, l.Snapshot(birth).Versions) {
		t.Errorf("got %v in a snapshot that was filled before", s.Versions)
	}
}

// A version of a source stays in use although another source made a request months
// later.
func TestVersionsOfIdleSource(t *testing.T) {
	l := New(testOptions(), birth)
	for i, user := range []string{"ann", "bob"} {
		f := testFile(FileID(i+1), "a.jsonl")
		f.Source = counters.NewSourceLabels(map[string]string{"user": user})
		l.Open(f)
		line := versionLine("2.1.3", int64(100-100*i))
		l.AddBatch(&Batch{File: f.ID, Now: birth, Entries: []transcript.Entry{line}})
		l = reopened(t, l)
	}
	if got, want := shownBy(l), "2.1.3ann 2.1.3bob"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Invented versions are dropped when they are no longer used, and limited until then.
func TestInventedVersions(t *testing.T) {
	l := newWith()
	add := func(e transcript.Entry) { l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{e}}) }
	for i := range int64(10_000) {
		add(versionLine(fmt.Sprintf("99.%d", i), 40))
	}
	l = reopened(t, l)
	if n := l.versions.used.Len(); n < keptVersions || n > 2*keptVersions {
		t.Errorf("got %d versions, want %d to %d", n, keptVersions, 2*keptVersions)
	}
	add(versionLine("2.1.3", 40))
	add(versionLine("2.1.3", 1))
	add(versionLine("2.1.4", 0))
	if got, want := shownBy(l), "2.1.4 2.1.3"; got != want || l.versions.used.Len() != 2 {
		t.Errorf("got %s, want %s; %d versions are kept", got, want, l.versions.used.Len())
	}
}

// The lines of a version that is known, or no longer used, cost almost nothing.
func TestVersionsAreCheap(t *testing.T) {
	v := New(testOptions(), birth).versions
	v.add("2.1.4", "", birth)
	for version, days := range map[string]int64{"2.1.4": 1, "2.1.3": versionAge + 1} {
		if n := testing.AllocsPerRun(10, func() { v.add(version, "", birth-days*dayMillis) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", version, n)
		}
	}
}

// The lines of further versions cost little, although many versions are kept.
func TestInventedVersionsAreCheap(t *testing.T) {
	v := New(testOptions(), birth).versions
	for source := range 20 {
		for i := range keptVersions {
			v.add(fmt.Sprintf("99.%d", i), SourceLabels(fmt.Sprint(source)), birth)
		}
	}
	i := 0
	add := func() { v.add(fmt.Sprintf("2.%d", i), "0", birth); i++ }
	if n := testing.AllocsPerRun(1000, add); n > 100 {
		t.Errorf("got %v allocations, want few", n)
	}
	if n := v.sources["0"].count; n < keptVersions || n > 2*keptVersions || n != v.used.Len()-19*keptVersions {
		t.Errorf("got a count of %d versions of %d", n, v.used.Len())
	}
}

// A new day visits the versions of all sources only if one is no longer used. The row
// of a source that is not indexed shows it.
func TestNewDayIsCheap(t *testing.T) {
	v := New(testOptions(), birth).versions
	v.used.Put(versionKey{A: "idle", B: "1.0"}, -2*versionAge)
	v.add("2.1.3", "", birth)
	for day := range int64(versionAge) {
		v.add("2.1.4", "", birth+(day+1)*dayMillis)
	}
	if n := v.used.Len(); n != 3 {
		t.Errorf("got %d versions after %d days, want 3", n, versionAge)
	}
	v.add("2.1.4", "", birth+(versionAge+1)*dayMillis)
	if n := v.used.Len(); n != 1 {
		t.Errorf("got %d versions after another day, want 1", n)
	}
}

// The saved state contains the indexes of ranges.
func TestVersionRangesKeepTheirIndexes(t *testing.T) {
	saved := []string{"unknown", "1.0", "2.0", "2.1.0-2.1.8", "2.1.9-2.1.29", "2.1.30-2.1.58", "2.1.59-2.1.96", "2.1.97+"}
	if got := VersionRanges[:len(saved)]; !slices.Equal(got, saved) {
		t.Errorf("got %q, want %q", got, saved)
	}
	if len(VersionRanges) != len(versionRangeStarts) {
		t.Errorf("got %d starts of %d ranges", len(versionRangeStarts), len(VersionRanges))
	}
}

func TestVersionRanges(t *testing.T) {
	for version, want := range map[string]string{
		"": "unknown", "0.2.9": "1.0", "1": "1.0", "1.0.57": "1.0", "2": "2.0", "2.0.76": "2.0", "2.1": "2.1.0-2.1.7", "2.1.7": "2.1.0-2.1.7",
		"2.1.8": "2.1.8-2.1.29", "2.1.29": "2.1.8-2.1.29", "2.1.30": "2.1.30-2.1.58", "2.1.58": "2.1.30-2.1.58",
		"2.1.59": "2.1.59-2.1.96", "2.1.96": "2.1.59-2.1.96", "2.1.97": "2.1.97-2.1.306", "2.1.306": "2.1.97-2.1.306",
		"2.1.307": "2.1.307+", "2.1.332": "2.1.307+", "2.2": "2.1.307+", "3.0.1": "2.1.307+",
	} {
		if got := VersionRanges[versionRangeOf(version)]; got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}
