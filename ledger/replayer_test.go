package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/codec"
	"github.com/ccwatchd/ccwatchd/internal/transcripttest"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// testOptions are the options of tests that are not about options.
func testOptions() Options {
	return Options{
		Limits: map[string]int{},
		Buckets: map[string][]float64{
			"claude_tool_duration_seconds": {1, 10}, "claude_turn_duration_seconds": {60}, "claude_compaction_pre_tokens": {100000},
			"claude_turn_seconds": {10}, "claude_turn_requests": {1}, "claude_turn_tool_calls": {0},
		},
		UnknownProject: "unknown",
		ActiveFor:      5 * 60 * 1000,
		Prices:         testPrices(),
	}
}

// priceRise is when sonnet becomes more expensive. It is in the middle of the
// sessions of a replayer.
const priceRise = "2026-03-02T00:00:00Z"

// testPrices has the prices of three models: one with a tier, and two with a fast mode.
func testPrices() *pricing.Table {
	const usd = 1_000_000 // per million tokens
	rise, err := time.Parse(time.RFC3339, priceRise)
	if err != nil {
		panic(err)
	}
	opus := pricing.Rates{Input: 5 * usd, CacheWrite5m: 6.25 * usd, CacheWrite1h: 10 * usd, CacheRead: 0.5 * usd, Output: 25 * usd}
	sonnet := pricing.Rates{Input: 3 * usd, CacheWrite5m: 3.75 * usd, CacheWrite1h: 6 * usd, CacheRead: 0.3 * usd, Output: 15 * usd}
	haiku := pricing.Rates{Input: 0.1 * usd, CacheWrite5m: 0.125 * usd, CacheWrite1h: 0.2 * usd, CacheRead: 0.01 * usd, Output: 0.5 * usd}
	long := pricing.Rates{Input: 0.5 * usd, CacheWrite5m: 0.625 * usd, CacheWrite1h: 1 * usd, CacheRead: 0.05 * usd, Output: 2.5 * usd}
	cheap := sonnet
	cheap.CacheRead, cheap.Output = 0.2*usd, 12.3456*usd
	table, err := pricing.NewTable("2026-11-22", []pricing.Row{
		{Model: "opus", Rates: opus, Fast: 2},
		{Model: "sonnet", Until: rise.UnixMilli(), Rates: cheap, Fast: 6},
		{Model: "sonnet", From: rise.UnixMilli(), Rates: sonnet, Fast: 6},
		{Model: "haiku", Rates: haiku, LongPrompt: 20_000, Long: long},
	})
	if err != nil {
		panic(err)
	}
	return table
}

// raisedPrices double those of opus, and include the model "future" but not sonnet.
func raisedPrices() *pricing.Table {
	table := testPrices()
	var rows []pricing.Row
	for _, r := range table.Rows {
		if r.Model == "opus" {
			future := r
			future.Model = "future"
			r.Rates = pricing.Rates{Input: 2 * r.Input, CacheWrite5m: 2 * r.CacheWrite5m, CacheWrite1h: 2 * r.CacheWrite1h, CacheRead: 2 * r.CacheRead, Output: 2 * r.Output}
			rows = append(rows, r, future)
		}
	}
	table, err := pricing.NewTable(table.Updated, rows)
	if err != nil {
		panic(err)
	}
	return table
}

func testFile(id FileID, name string) File {
	return File{ID: id, Kind: transcript.KindOf(name), Name: transcript.NameKey(name)}
}

// parsed returns n lines of a file, from an index on, as a batch with labels.
func parsed(f File, lines [][]byte, from, n int, now int64) *Batch {
	b := &Batch{File: f.ID, Now: now}
	var buffer transcript.Buffer
	parser := transcript.NewParser()
	for i := from; i < from+n; i++ {
		b.Bytes += uint64(len(lines[i]) + 1)
		before := len(buffer.Entries)
		parser.Parse(lines[i], i == 0, &buffer)
		for j := range buffer.Entries[before:] {
			e := &buffer.Entries[before+j]
			e.AssignKeys(func() transcript.Key {
				return transcript.KeyOf("place", string(f.Name[:]), strconv.Itoa(i), strconv.Itoa(j))
			})
			if e.HasProject = e.CWD != ""; e.HasProject {
				e.Project = path.Base(e.CWD)
			}
			if e.Prompt != nil && e.Prompt.IsCommand() {
				e.Command = "custom"
				if slices.Contains([]string{"clear", "compact", "deploy"}, e.Prompt.Name) {
					e.Command = e.Prompt.Name
				}
			}
		}
	}
	b.Entries, b.Problems = buffer.Entries, buffer.Problems
	return b
}

// encode returns a saved ledger.
func encode(l *Ledger) []byte {
	c := codec.NewWriter(nil)
	l.Code(c)
	return c.Bytes()
}

// decode reads a saved ledger into l.
func decode(l *Ledger, b []byte) error {
	c := codec.NewReader(b)
	l.Code(c)
	return c.Done()
}

// reopened saves a ledger and reads it back.
func reopened(t testing.TB, l *Ledger) *Ledger {
	t.Helper()
	return readInto(t, New(Options{}, 0), l)
}

func readInto(t testing.TB, to, from *Ledger) *Ledger {
	t.Helper()
	if err := decode(to, encode(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// openWith opens a file and adds some lines.
func openWith(l *Ledger, f File, lines ...string) {
	l.Open(f)
	l.AddBatch(batchOf(f, birth, lines...))
}

// newWith returns a ledger with some lines of a file.
func newWith(lines ...string) *Ledger {
	l := New(testOptions(), birth)
	openWith(l, testFile(1, "a.jsonl"), lines...)
	return l
}

func millis(t testing.TB, stamp string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// A replayer reads generated files into ledgers, in a random order.
type replayer struct {
	*rand.Rand
	files []*transcriptFile
	now   int64
}

// A transcriptFile is a file and how far it was read.
type transcriptFile struct {
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
	tree := transcripttest.Generate(seed, transcripttest.Options{Copies: true, Size: 1 + int(seed%3)})
	for i, name := range tree.Names() {
		lines := bytes.Split([]byte(strings.TrimSuffix(shifted(tree[name]), "\n")), []byte("\n"))
		r.files = append(r.files, &transcriptFile{file: testFile(FileID(i+1), name), lines: lines})
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
			f.file.Source = NewSourceLabels(map[string]string{"user": fmt.Sprint(r.IntN(2))})
			steps = append(steps, r.open(f))
		case 5:
			steps = append(steps, (*Ledger).Settle)
		case 6:
			id := f.file.ID
			steps = append(steps, func(l *Ledger) { l.MarkMissing(id) })
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
	for _, label := range []string{"model", "tool", "project", "status", "error", "stop_reason", "command", "trigger"} {
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
