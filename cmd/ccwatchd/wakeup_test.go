package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestWakeUp measures the CPU time of the daemon while idle, and per written line:
//
//	CCWATCHD_MEASURE=1 go test -run TestWakeUp -v ./cmd/ccwatchd
//
// A program that only receives the events needs half of the time of a wake-up.
func TestWakeUp(t *testing.T) {
	measured(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	const lines = 500
	p := newSandbox(t)
	s := newScript("/home/dev/wake", uuid(1))
	s.Start = time.Now()
	path := filepath.Join(p.projects(), "-home-dev-wake", s.ID+".jsonl")
	writeFile(t, path, s.call("first", "Bash"))
	d := p.start(t).ready()
	begin, before := time.Now(), d.ran()
	rest(10 * time.Second)
	idle := float64(d.ran()-before) / float64(time.Since(begin))
	t.Logf("idle: %.4f %% of a core", 100*idle)

	begin, before = time.Now(), d.ran()
	for i := range lines {
		appendFile(t, path, s.call(fmt.Sprint(i), "Bash"))
		rest(10 * time.Millisecond)
	}
	took := d.ran() - before - time.Duration(idle*float64(time.Since(begin)))
	t.Logf("a wake-up: %v of CPU", took/lines)
	eventually(t, "all lines are counted", func() bool { return d.requests() == lines+1 })
}

// ran returns the CPU time of the daemon, in nanoseconds.
func (d *process) ran() (sum time.Duration) {
	d.t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		d.t.Fatal("schedstat is missing", err)
	}
	for _, task := range tasks {
		b, err := os.ReadFile(task)
		if err != nil {
			d.t.Fatal(err)
		}
		ns, err := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		if err != nil {
			d.t.Fatal(err)
		}
		sum += time.Duration(ns)
	}
	return sum
}
