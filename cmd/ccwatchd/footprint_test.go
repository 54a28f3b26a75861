package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// The size of the measured history.
const (
	measuredFiles    = 5_000
	measuredMessages = 200_000
	measuredIdle     = 2 * time.Minute
)

// TestFootprint measures the resources of the daemon with a long history, against the
// documented limits. It takes minutes and writes 700 MB of transcripts:
//
//	CCWATCHD_MEASURE=1 go test -run TestFootprint -v -timeout 20m ./cmd/ccwatchd
func TestFootprint(t *testing.T) {
	measured(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	p := newSandbox(t)
	bytes := writeHistory(t, p.projects(), measuredFiles, measuredMessages/measuredFiles)
	t.Logf("%d files, %d messages, %d MB", measuredFiles, measuredMessages, bytes>>20)

	start := time.Now()
	d := p.start(t)
	d.readyWithin(10 * time.Minute)
	t.Logf("caught up after %v, with %v of CPU", time.Since(start).Round(time.Millisecond), d.cpu())
	d.logUsage("after catching up")
	if n := d.sample("claude_requests_total"); n != measuredMessages {
		t.Errorf("%v messages counted, want %d", n, measuredMessages)
	}
	idle := 100 * d.cpuShare(measuredIdle)
	t.Logf("idle: %.3f %% of a core over %v", idle, measuredIdle)
	d.logUsage("at rest")
	d.within("go_goroutines", d.sample("go_goroutines"), 20)
	d.within("process_open_fds", d.sample("process_open_fds"), 32)
	d.within("resident bytes", float64(d.status("VmRSS")), 64<<20)
	d.within("idle percent", idle, 0.5)

	d.checkLatencies(p, 200, 20*time.Millisecond, 10*time.Millisecond)
	d.stop()
	start = time.Now()
	d = p.start(t)
	d.readyWithin(10 * time.Minute)
	t.Logf("started again after %v", time.Since(start).Round(time.Millisecond))
	d.logUsage("after a restart")
	rest(measuredIdle)
	d.logUsage("at rest after a restart")
	d.within("resident bytes", float64(d.status("VmRSS")), 64<<20)
}

// alone is the time after which a line arrives alone: the watcher collects events for
// 100 ms after an event.
const alone = 110 * time.Millisecond

// TestWakeUp measures the CPU time per line that arrives alone, in addition to the CPU
// time of an idle daemon:
//
//	CCWATCHD_MEASURE=1 go test -run TestWakeUp -v ./cmd/ccwatchd
//
// A program that only receives the events needs half as much.
func TestWakeUp(t *testing.T) {
	measured(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	const lines = 400 // enough for the resolution of the CPU time
	p := newSandbox(t)
	s := script{cwd: "/home/dev/wake", session: uuid(1), at: time.Now()}
	path := filepath.Join(p.projects(), "-home-dev-wake", s.session+".jsonl")
	writeFile(t, path, s.call("first", "Bash"))
	d := p.start(t).ready()
	idle := d.cpuShare(10 * time.Second)
	before, since := d.cpu(), time.Now()
	for i := range lines {
		appendFile(t, path, s.call(fmt.Sprint(i), "Bash"))
		rest(alone)
	}
	used := d.cpu() - before - time.Duration(idle*float64(time.Since(since)))
	t.Logf("a wake-up: %v of CPU, besides %.3f %% of a core while idle", used/lines, 100*idle)
	polltest.Eventually(t, "all lines are counted", func() bool { return d.requests() == lines+1 })
}

// rest waits while the daemon is measured.
func rest(d time.Duration) { <-time.After(d) }

func (d *process) readyWithin(limit time.Duration) {
	d.t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); rest(10 * time.Millisecond) {
		if d.isReady() {
			return
		}
	}
	d.t.Fatalf("not ready after %v:\n%s", limit, d.log.String())
}

// logUsage logs the resources of the daemon. It reads resident memory before the
// scrape, which allocates memory.
func (d *process) logUsage(when string) {
	d.t.Helper()
	d.t.Logf("%s: %.1f MiB resident (peak %.1f), %v goroutines, %v descriptors, %.1f MiB of heap in use",
		when, mib(d.status("VmRSS")), mib(d.status("VmHWM")), d.sample("go_goroutines"), d.sample("process_open_fds"),
		d.sample("go_memstats_heap_inuse_bytes")/(1<<20))
}

func mib(b int) float64 { return float64(b) / (1 << 20) }

func (d *process) within(name string, got, limit float64) {
	d.t.Helper()
	if got >= limit {
		d.t.Errorf("%s: got %v, want less than %v", name, got, limit)
	}
}

// status returns a size in /proc/PID/status, in bytes.
func (d *process) status(field string) int {
	d.t.Helper()
	b := filetest.Read(d.t, fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	for line := range strings.Lines(b) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				d.t.Fatal(err)
			}
			return kb << 10
		}
	}
	d.t.Fatalf("%s is missing in /proc", field)
	return 0
}

// cpuShare returns the share of a core used by the idle daemon.
func (d *process) cpuShare(over time.Duration) float64 {
	d.t.Helper()
	before, since := d.cpu(), time.Now()
	rest(over)
	return (d.cpu() - before).Seconds() / time.Since(since).Seconds()
}

// cpu returns the CPU time of the daemon.
func (d *process) cpu() time.Duration {
	return time.Duration(d.sample("process_cpu_seconds_total") * float64(time.Second))
}

// writeHistory writes transcripts like months of work, and returns their size in bytes.
// There are 50 projects, and every tenth file is a sub-agent. Each message has two
// lines, with a tool call in the second, and a line with the result follows.
func writeHistory(t testing.TB, projects string, files, messages int) (size int64) {
	t.Helper()
	start := time.Now().Add(-90 * 24 * time.Hour)
	result := strings.Repeat("some line of a file that was read\n", 30)
	var session string
	for i := range files {
		project := fmt.Sprintf("project-%02d", i%50)
		name := filepath.Join(projects, "-home-dev-"+project, uuid(i)+".jsonl")
		if i%10 == 9 {
			name = filepath.Join(projects, "-home-dev-"+project, session, "subagents", "agent-"+strconv.Itoa(i)+".jsonl")
		} else {
			session = uuid(i)
		}
		size += writeSession(t, name, "/home/dev/"+project, session, i, messages, start.Add(time.Duration(i)*20*time.Minute), result)
	}
	return size
}

func writeSession(t testing.TB, name, cwd, session string, number, messages int, at time.Time, result string) int64 {
	t.Helper()
	var b strings.Builder
	s := script{cwd: cwd, session: session, at: at}
	for m := range messages {
		id := fmt.Sprintf("%06d%06d", number, m)
		if m%8 == 0 {
			b.WriteString(s.prompt("prompt " + id))
		}
		b.WriteString(s.text(id, 1) + s.call(id, fmt.Sprintf("Tool%d", (number+m)%8)) + s.result(id, result))
	}
	writeFile(t, name, b.String())
	return int64(b.Len())
}

// measured skips a measurement unless it is enabled.
func measured(t *testing.T) {
	t.Helper()
	if os.Getenv("CCWATCHD_MEASURE") == "" {
		t.Skip("takes minutes: set CCWATCHD_MEASURE=1")
	}
}

// checkLatencies appends lines to a session, and checks the median time until a line is
// counted as a request.
func (d *process) checkLatencies(p sandbox, n int, every, limit time.Duration) {
	t := d.t
	t.Helper()
	s := script{cwd: "/home/dev/latency", session: uuid(rand.IntN(1 << 20)), at: time.Now()}
	path := filepath.Join(p.projects(), "-home-dev-latency", s.session+".jsonl")
	all := make([]time.Duration, 0, n)
	reached := func(want float64) func() bool { return func() bool { return d.requests() >= want } }
	// The first scrape of a series has no sample yet.
	before := d.requests()
	appendFile(t, path, s.call(s.session+"first", "Bash"))
	polltest.Eventually(t, "the series is exposed", reached(before+1))
	before++
	for i := range n {
		rest(alone + rand.N(every))
		appendFile(t, path, s.call(fmt.Sprint(s.session, i), "Bash"))
		written, counted := time.Now(), reached(before+float64(i)+1)
		for !counted() {
			if time.Since(written) > timeout {
				t.Fatalf("line %d is not counted", i)
			}
		}
		all = append(all, time.Since(written))
	}
	slices.Sort(all)
	median := all[len(all)/2]
	t.Logf("to /metrics: median %v, p99 %v, max %v", median, all[len(all)*99/100], all[len(all)-1])
	if median >= limit {
		t.Errorf("to /metrics: got median %v, want less than %v", median, limit)
	}
}

// requests returns the number of requests in a scrape.
func (d *process) requests() float64 {
	n, _ := d.sum("claude_requests_total")
	return n
}
