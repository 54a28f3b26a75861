package ledger

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// canonical returns an encoding that is equal for ledgers with equal rows and counters,
// however their memory is laid out.
func canonical(t testing.TB, l *Ledger) []byte {
	t.Helper()
	again := reopened(t, l)
	again.drop(func(FileID) bool { return false }) // merges the rows of compact tables
	return encode(again)
}

// A view is all that readers can see of a ledger, apart from the ids of sessions.
type view struct {
	snapshot Snapshot
	history  counters.History
	sessions SessionList
}

func viewOf(l *Ledger, now int64) view {
	snapshot := l.Snapshot(now)
	v := view{snapshot, l.History(), l.SessionList(SessionQuery{Limit: 1000, Since: math.MinInt64}, now)}
	for i := range v.snapshot.Live {
		v.snapshot.Live[i].ID = ""
	}
	for i := range v.sessions.Sessions {
		v.sessions.Sessions[i].ID = ""
	}
	return v
}

// difference returns the first difference of two views.
func (v view) difference(o view) string {
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"counters", samples(v), samples(o)},
		{"live sessions", v.snapshot.Live, o.snapshot.Live}, {"active sessions", v.snapshot.Active, o.snapshot.Active},
		{"unsettled", v.snapshot.Unsettled, o.snapshot.Unsettled}, {"dedup keys", v.snapshot.DedupKeys, o.snapshot.DedupKeys},
		{"versions", v.snapshot.Versions, o.snapshot.Versions}, {"sessions", v.sessions, o.sessions},
		{"history", histories(v), histories(o)},
	} {
		if a, b := fmt.Sprintf("%+v", part.a), fmt.Sprintf("%+v", part.b); a != b {
			return fmt.Sprintf("%s:\n%s", part.name, difftest.Diff(part.b, part.a))
		}
	}
	return ""
}

// samples returns the exposed series with their created times.
func samples(v view) (all []counters.Sample) {
	for _, f := range v.snapshot.Families {
		all = append(all, f.Samples...)
	}
	return all
}

// histories returns the increases of all series, and those that are late.
func histories(v view) (all []string) {
	for _, f := range v.history.Families {
		for i := range f.Series {
			s := &f.Series[i]
			all = append(all, fmt.Sprintf("%s %q %q %t %d %v %v", f.Family.Name, s.Labels, s.Source, s.Hidden, s.Created, s.Increases(), s.Late()))
		}
	}
	return all
}

// Frames restore exactly what the ledger is: after each of them, from each snapshot,
// and what readers see before a frame is what the frames before it restore.
func TestFrames(t *testing.T) {
	for seed := range uint64(testsize.Of(20, 5)) {
		r := newReplayer(seed, seed)
		l := New(testOptions(), birth)
		shadow := New(testOptions(), birth)
		if seed%2 == 0 {
			l.set.Start()
			shadow.set.Start()
		}
		l.Record(true)
		for i, step := range r.randomSteps(80) {
			options := *l.opts
			step(l)
			frame := l.AppendFrame(nil)
			if i%5 == 0 && reflect.DeepEqual(options, *l.opts) { // options are no part of the state
				before := readInto(t, New(options, 0), shadow)
				l.BeforeFrame(func() {
					releaseAll(l)
					if d := viewOf(l, r.now).difference(viewOf(before, r.now)); d != "" {
						t.Fatalf("seed %d, before frame %d: %s", seed, i, d)
					}
				})
				shadow = before
			}
			if again := l.AppendFrame(nil); !bytes.Equal(again, frame) {
				t.Fatalf("seed %d, frame %d differs after it was written", seed, i)
			}
			if l.Commit(); len(l.AppendFrame(nil)) > 0 {
				t.Fatalf("seed %d, frame %d: something has changed since", seed, i)
			}
			if err := shadow.ApplyFrame(frame); err != nil {
				t.Fatalf("seed %d, frame %d: %v", seed, i, err)
			}
			if !bytes.Equal(canonical(t, shadow), canonical(t, l)) {
				t.Fatalf("seed %d: the ledger restored from frame %d differs", seed, i)
			}
		}
	}
}

// A ledger that is restored from frames continues like the one that wrote them, and one
// that records like one that does not.
func TestFramesContinue(t *testing.T) {
	for seed := range uint64(testsize.Of(8, 3)) {
		steps := newReplayer(seed, seed).randomSteps(60)
		want := canonical(t, apply(New(testOptions(), birth), steps))
		l, shadow := New(testOptions(), birth), New(testOptions(), birth)
		l.Record(true)
		for i, step := range steps {
			step(l)
			if err := shadow.ApplyFrame(l.AppendFrame(nil)); err != nil {
				t.Fatal(err)
			}
			l.Commit()
			if i%6 == 5 { // the restored one takes over
				if err := shadow.Restored(); err != nil {
					t.Fatal(err)
				}
				shadow.Configure(*l.opts)
				l, shadow = shadow, reopened(t, shadow)
				l.Record(true)
			}
		}
		if !bytes.Equal(canonical(t, l), want) {
			t.Fatalf("seed %d: the ledger differs", seed)
		}
	}
}

// Damaged frames are refused, or at least do no harm.
func FuzzFrame(f *testing.F) {
	l := New(testOptions(), birth)
	l.Record(true)
	for _, step := range newReplayer(1, 1).randomSteps(40) {
		step(l)
		f.Add(l.AppendFrame(nil), uint64(1))
		l.Commit()
	}
	f.Fuzz(func(_ *testing.T, frame []byte, seed uint64) {
		l := New(testOptions(), birth)
		r := newReplayer(seed%3, seed)
		apply(l, r.randomSteps(10))
		if l.ApplyFrame(frame) != nil || l.Restored() != nil {
			return
		}
		apply(l, r.randomSteps(10)).Snapshot(birth)
	})
}
