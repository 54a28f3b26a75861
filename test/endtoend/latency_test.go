//go:build endtoend

package endtoend

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// BenchmarkPolling measures a daemon that gets no file events: its CPU time while it is
// idle, and the time from the write of a line until a scrape has it. The last scrape is
// up to a tenth of that time too late. FILES and DIRS are the size of the tree.
//
//	make latency
func BenchmarkPolling(b *testing.B) {
	p := newPolled(b)
	b.Run("idle", func(b *testing.B) {
		rest(20 * time.Second) // until what follows the first reading is done
		before, began := p.sample(b, "process_cpu_seconds_total"), time.Now()
		for b.Loop() {
			rest(6 * time.Second)
		}
		used := p.sample(b, "process_cpu_seconds_total") - before
		b.ReportMetric(100*used/time.Since(began).Seconds(), "%CPU")
		b.ReportMetric(p.sample(b, "process_resident_memory_bytes")/1e6, "MB")
	})
	b.Run("hot", func(b *testing.B) { p.measure(b, func(n int) string { return p.file(n % hotFiles) }) })
	b.Run("new-beside-hot", func(b *testing.B) { p.measure(b, func(n int) string { return p.fileIn(n % hotFiles) }) })
	b.Run("other", func(b *testing.B) {
		p.measure(b, func(n int) string {
			dir := hotFiles + n%(p.dirs-hotFiles) // each is hot after its first line
			if n%2 == 0 {
				return p.fileIn(dir)
			}
			return p.file(dir)
		})
	})
}

// hotFiles is the number of files that were written within the last minutes, each in a
// directory of its own.
const hotFiles = 5

// A polled is a daemon that polls a tree of sessions with one request each.
type polled struct {
	transcripttest.Dir
	*Server
	files, dirs, lines int
}

func newPolled(b *testing.B) *polled {
	b.Helper()
	p := &polled{Dir: transcripttest.NewDir(b), files: number(b, "FILES", 5000), dirs: number(b, "DIRS", 800)}
	if p.dirs <= hotFiles || p.files < p.dirs {
		b.Fatalf("got %d files in %d directories, want more than %d directories, and a file in each", p.files, p.dirs, hotFiles)
	}
	now, newest := time.Now(), make(map[string]time.Time)
	for i := range p.files {
		name, age := p.file(i), time.Hour+rand.N(45*24*time.Hour)
		if i < hotFiles {
			age = rand.N(5 * time.Minute)
		}
		p.write(name)
		p.Touch(name, now.Add(-age))
		dir := path.Dir(name)
		newest[dir] = slices.MaxFunc([]time.Time{newest[dir], now.Add(-age)}, time.Time.Compare)
	}
	for dir, modified := range newest {
		p.Touch(dir, modified)
	}
	// Without names of projects the number of series is small.
	p.Server = NewDaemon(b, Daemon(b), fmt.Sprintf("sources: [{path: %q}]\nlabels: {project: {naming: none}}\nlimits: {watches: 0}\n", p.Root))
	p.Start(b)
	if n := int(p.sample(b, "claude_requests_total")); n != p.lines {
		b.Fatalf("got %d requests, want %d", n, p.lines)
	}
	return p
}

// number returns an integer in the environment.
func number(b *testing.B, name string, missing int) int {
	b.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(missing)))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func (p *polled) file(n int) string { return fmt.Sprintf("-home-dev-%d/session-%d.jsonl", n%p.dirs, n) }

// fileIn returns the name of a new file in a directory.
func (p *polled) fileIn(dir int) string { return p.file((p.files+p.lines)*p.dirs + dir) }

// write appends a line with a request to a file.
func (p *polled) write(name string) {
	p.lines++
	s := transcripttest.Session{ID: path.Base(name), Name: strconv.Itoa(p.lines), CWD: "/home/dev/project", Start: time.Now()}
	s.Reply(transcripttest.Reply{ID: "msg_" + strconv.Itoa(p.lines), In: 3, Out: 5, Stop: "end_turn"})
	p.Append(name, s.String())
}

// sample returns the sum of a metric in a scrape.
func (p *polled) sample(b *testing.B, name string) float64 {
	b.Helper()
	text, err := p.Get(b.Context(), "/metrics", nil)
	if err != nil {
		b.Fatal(err)
	}
	samples, err := exposition.ParseText(string(text))
	sum, found := samples.Sum(name)
	if err != nil || !found {
		b.Fatalf("there is no %s: %v", name, err)
	}
	return sum
}

// measure writes a line to the n-th file in each round, after a random pause: for a
// line that follows the last scrape the daemon would always need a whole interval.
func (p *polled) measure(b *testing.B, file func(n int) string) {
	b.Helper()
	all, longest := []time.Duration{}, 100*time.Millisecond
	for b.Loop() {
		b.StopTimer()
		rest(rand.N(longest))
		name := file(len(all))
		b.StartTimer()
		began := time.Now()
		p.write(name)
		if !polltest.Poll(500*time.Microsecond, func() bool { return int(p.sample(b, "claude_requests_total")) >= p.lines }) {
			b.Fatalf("%s: the line is not counted after %v", name, time.Since(began))
		}
		all = append(all, time.Since(began))
		longest = max(longest, all[len(all)-1])
	}
	slices.Sort(all)
	for _, percent := range []int{50, 95, 100} {
		b.ReportMetric(all[(len(all)*percent+99)/100-1].Seconds(), fmt.Sprintf("p%d-s", percent))
	}
}

// rest waits without using any CPU time.
func rest(d time.Duration) { <-time.After(d) }
