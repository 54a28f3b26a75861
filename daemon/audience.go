package daemon

import (
	"bytes"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// An audience are those who look at what is counted. A series that is new stays at
// zero until all have seen it so who come regularly, and has its value then for all
// at once: so every server sees it begin, and nobody sees it fall, even if one
// viewer was taken for two, or two for one. Who comes has not seen anything yet:
// what was shown may be lost on its way.
//
// Who comes regularly is a part of the state, and waited for after a restart too.
type audience struct {
	known []viewer // the latest first

	// What was new in a showing up to passed, or up to latest after a while, has
	// stood at zero for as long as anybody may ask for.
	passed, latest uint64
	since          time.Time // when latest became passed
}

// A viewer is somebody who looks.
type viewer struct {
	who  transcript.Key   // a digest of what the viewer is called
	seen uint64           // the showing that it saw last, see ledger.Snapshot
	last time.Time        // when that was
	gaps [2]time.Duration // between the last times that it came
}

const (
	// maxViewers is how many are remembered.
	maxViewers = 64
	// regularGap is within which time one comes who is waited for. Servers keep a
	// sample for five minutes at most, so they scrape more often than that.
	regularGap = 2 * time.Minute
	// restart is how long a server may take for it, until it scrapes again.
	restart = 10 * time.Second
	// longestZero is how long a series stays at zero at least for want of somebody
	// who comes again; it may be twice as long.
	longestZero = 5 * time.Minute
)

// expect has the audience wait for those who came regularly before a restart: for
// each as long as one can take who comes as seldom as any who is waited for.
func (a *audience) expect(regulars []transcript.Key, now time.Time) {
	const gap = regularGap * 2 / 5 // see awaited
	for _, who := range regulars[:min(len(regulars), maxViewers)] {
		a.known = append(a.known, viewer{who: who, last: now, gaps: [2]time.Duration{gap, gap}})
	}
}

// regulars returns who is waited for, in order.
func (a *audience) regulars(now time.Time) (all []transcript.Key) {
	for i := range a.known {
		if a.known[i].awaited(now) {
			all = append(all, a.known[i].who)
		}
	}
	slices.SortFunc(all, func(a, b transcript.Key) int { return bytes.Compare(a[:], b[:]) })
	return all
}

// come notes that somebody looks, and returns up to which showing everybody has
// seen what was new, the one who comes included. Who comes for the first time has
// seen nothing; it may well be that only the daemon is new.
func (a *audience) come(who transcript.Key, now time.Time) (seen uint64) {
	one := viewer{who: who}
	if i := slices.IndexFunc(a.known, func(o viewer) bool { return o.who == who }); i >= 0 {
		one = a.known[i]
		one.gaps = [2]time.Duration{now.Sub(one.last), one.gaps[0]}
		a.known = slices.Delete(a.known, i, i+1)
	}
	seen = one.seen
	for _, o := range a.known {
		if o.awaited(now) {
			seen = min(seen, o.seen)
		}
	}
	one.last = now
	a.known = slices.Insert(a.known[:min(len(a.known), maxViewers-1)], 0, one)
	return seen
}

// saw notes what somebody who came has seen. That may be known later than what the
// same one saw after it.
func (a *audience) saw(who transcript.Key, showing uint64) {
	for i := range a.known {
		if v := &a.known[i]; v.who == who {
			v.seen = max(v.seen, showing)
		}
	}
	a.latest = max(a.latest, showing)
}

// awaited reports whether somebody comes regularly, and may be expected. One that
// stays away is expected for as long as it takes to miss a scrape or two, and to
// start again.
func (v *viewer) awaited(now time.Time) bool {
	gap := max(v.gaps[0], v.gaps[1])
	return gap > 0 && gap <= regularGap && now.Sub(v.last) <= gap*5/2+restart
}

// overdue returns up to which showing nobody is waited for any more by those who
// want to see it.
func (a *audience) overdue(now time.Time) uint64 {
	if now.Sub(a.since) < longestZero {
		return 0
	}
	due := a.passed
	a.passed, a.since = a.latest, now
	return due
}
