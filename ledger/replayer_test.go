package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A replayer reads generated files into ledgers, in a random order.
type replayer struct {
	*rand.Rand
	files []*transcriptFile
	now   int64
}

// A transcriptFile is a file and how far it was read.
type transcriptFile struct {
	name  string
	file  File
	lines [][]byte
	next  int
}

// batch returns the next n lines, or as many as are left.
func (f *transcriptFile) batch(n int, now int64) *Batch {
	n = min(n, len(f.lines)-f.next)
	b := parsed(f.file, f.lines, f.next, n, now)
	f.next += n
	return b
}

// newReplayer generates transcripts: the same for any order of reading. Their last
// lines may be cut off. They begin up to half an hour before priceRise, or after it.
func newReplayer(seed, order uint64) *replayer {
	r := &replayer{
		Rand: rand.New(rand.NewPCG(order, 2)),
		now:  time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
	}
	tree := transcripttest.Generate(seed, transcripttest.Options{Copies: true, Size: 1 + int(seed%3), ShortIDs: seed%4 == 3})
	for i, name := range tree.Names() {
		lines := bytes.Split([]byte(strings.TrimSuffix(shifted(tree[name]), "\n")), []byte("\n"))
		r.files = append(r.files, &transcriptFile{name: name, file: testFile(FileID(i+1), name), lines: lines})
	}
	return r
}

var timestamp = regexp.MustCompile(`2026-03-01T1[0-9:]*`)

// shifted returns the lines of a transcript 13 hours and a half later.
func shifted(content string) string {
	return timestamp.ReplaceAllStringFunc(content, func(stamp string) string {
		at, err := time.Parse("2006-01-02T15:04:05", stamp)
		if err != nil {
			panic(err)
		}
		return at.Add(13*time.Hour + 30*time.Minute).Format("2006-01-02T15:04:05")
	})
}

// A step changes a ledger.
type step func(*Ledger)

func (r *replayer) open(f *transcriptFile) step {
	file := f.file
	return func(l *Ledger) { l.Open(file) }
}

// read adds the next n lines of a file, or as many as are left.
func (r *replayer) read(f *transcriptFile, n int) step {
	b := f.batch(n, r.now)
	return func(l *Ledger) { l.AddBatch(b) }
}

func (r *replayer) reset(f *transcriptFile) step {
	f.next = 0
	id, now := f.file.ID, r.now
	return func(l *Ledger) { l.Reset(id, Truncated, now) }
}

func (r *replayer) finalize(f *transcriptFile) step {
	id, now := f.file.ID, r.now
	return func(l *Ledger) { l.FinalizeFile(id, now) }
}

// readAll reads every file to its end in random order, in batches of at most size
// lines. It may read some files twice, and may settle between batches.
func (r *replayer) readAll(size int, resets, settles bool) []step {
	var steps []step
	for _, f := range r.files {
		steps = append(steps, r.open(f))
	}
	left := slices.Clone(r.files)
	for len(left) > 0 {
		i := r.IntN(len(left))
		f := left[i]
		for range 1 + r.IntN(4) {
			steps = append(steps, r.read(f, 1+r.IntN(size)))
		}
		if settles && r.IntN(2) == 0 {
			steps = append(steps, (*Ledger).Settle)
		}
		if resets && r.IntN(10) == 0 {
			steps = append(steps, r.reset(f))
			resets = r.IntN(5) != 0
		}
		if f.next == len(f.lines) {
			left = slices.Delete(left, i, i+1)
		}
	}
	steps = append(steps, (*Ledger).Settle)
	for _, f := range r.files {
		steps = append(steps, r.finalize(f))
	}
	return steps
}

// When readInOrder settles. Files are finalized then, too.
const (
	atTheEnd = iota
	afterFiles
	afterBatches
)

// readInOrder returns a ledger that has read one file after another, in batches of size
// lines.
func (r *replayer) readInOrder(size, settle int) *Ledger {
	l := New(testOptions(), birth)
	for _, f := range r.files {
		r.open(f)(l)
		for f.next < len(f.lines) {
			r.read(f, size)(l)
			if settle == afterBatches {
				l.Settle()
			}
		}
		if settle != atTheEnd {
			l.Settle()
			r.finalize(f)(l)
		}
	}
	l.Settle()
	for _, f := range r.files {
		r.finalize(f)(l)
	}
	return l
}

// randomSteps returns n random steps, without scrapes.
func (r *replayer) randomSteps(n int) []step {
	var steps []step
	for _, f := range r.files {
		steps = append(steps, r.open(f))
	}
	for range n {
		f := r.files[r.IntN(len(r.files))]
		r.now += int64(r.IntN(120_000))
		switch r.IntN(15) {
		case 0:
			steps = append(steps, r.finalize(f))
		case 1:
			steps = append(steps, r.reset(f))
		case 2:
			steps = append(steps, r.configure())
		case 3:
			steps = append(steps, r.forget(f))
		case 4:
			f.file.Name = transcript.KeyOf("name", fmt.Sprint(r.IntN(5)))
			f.file.Source = counters.NewSourceLabels(map[string]string{"user": fmt.Sprint(r.IntN(2))})
			f.file.AgentType, f.file.Opened = []string{"", "Explore", "Plan"}[r.IntN(3)], r.now
			steps = append(steps, r.open(f))
		case 5:
			steps = append(steps, (*Ledger).Settle)
		case 6:
			id := f.file.ID
			steps = append(steps, func(l *Ledger) { l.MarkMissing(id) })
		case 7:
			now := r.now
			steps = append(steps, func(l *Ledger) { l.EndSessions(now) })
		default:
			steps = append(steps, r.read(f, 1+r.IntN(6)))
		}
	}
	return steps
}

// withScrapes inserts scrapes between some of the steps.
func (r *replayer) withScrapes(steps []step) []step {
	var all []step
	for _, s := range steps {
		all = append(all, s)
		if r.IntN(6) == 0 {
			now := r.now
			all = append(all, func(l *Ledger) { l.Snapshot(now); releaseAll(l) })
		}
	}
	return all
}

func (r *replayer) configure() step {
	o := testOptions()
	for _, label := range []string{"model", "tool", "project", "status", "error", "stop_reason", "command", "trigger", "agent_type", "skill", "plugin"} {
		if r.IntN(2) == 0 {
			o.Limits[label] = r.IntN(3)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Buckets)) {
		var bounds []float64
		for range r.IntN(4) {
			bounds = append(bounds, []float64{0.5, 1, 5, 10, 60, 1000, 100000, 150000}[r.IntN(8)])
		}
		slices.Sort(bounds)
		o.Buckets[name] = slices.Compact(bounds)
	}
	o.Prices = []*pricing.Table{nil, testPrices(), raisedPrices()}[r.IntN(3)]
	o.UnknownProject = fmt.Sprint("unknown", r.IntN(2))
	o.ActiveFor = int64(r.IntN(1000_000))
	o.FineHistory = []int64{200, 91, 1}[r.IntN(3)] * dayMillis // 91 days are up to priceRise
	return func(l *Ledger) { l.Configure(o) }
}

func (r *replayer) forget(f *transcriptFile) step {
	id, now := f.file.ID, r.now
	f.file.ID += 1000 // the next file of this name is another one
	f.next = 0
	open := r.open(f)
	return func(l *Ledger) { l.Forget([]FileID{id}, now); open(l) }
}

func apply(l *Ledger, steps []step) *Ledger {
	for _, s := range steps {
		s(l)
	}
	return l
}
