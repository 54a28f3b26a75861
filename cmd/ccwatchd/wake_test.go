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

// TestWakeUp measures what it costs the daemon that one line is written, and
// what it costs that nothing is:
//
//	CCWATCHD_MEASURE=1 go test -run TestWakeUp -v ./cmd/ccwatchd
//
// Most of a wake-up is the system's and Go's own: a program that only takes the
// events and does nothing about them takes half of it.
func TestWakeUp(t *testing.T) {
	measured(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	const lines = 500
	p := newPlace(t)
	s := script{cwd: "/home/dev/wake", session: uuid(1), at: time.Now()}
	path := filepath.Join(p.projects(), "-home-dev-wake", s.session+".jsonl")
	writeFile(t, path, s.call("first", "Bash"))
	d := p.start(t).ready()
	begin, before := time.Now(), d.ran()
	rest(10 * time.Second)
	idle := float64(d.ran()-before) / float64(time.Since(begin))
	t.Logf("idle: %.4f %% of a core", 100*idle)

	begin, before = time.Now(), d.ran()
	for i := range lines {
		if err := appendTo(path, []byte(s.call(fmt.Sprint(i), "Bash"))); err != nil {
			t.Fatal(err)
		}
		rest(10 * time.Millisecond)
	}
	took := d.ran() - before - time.Duration(idle*float64(time.Since(begin)))
	t.Logf("a wake-up: %v of CPU", took/lines)
	eventually(t, "all lines are counted", func() bool { return d.requests() == lines+1 })
}

// ran is for how long the daemon has run on any processor, to the nanosecond.
func (d *process) ran() (sum time.Duration) {
	d.t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.cmd.Process.Pid))
	if err != nil || len(tasks) == 0 {
		d.t.Fatal("the kernel does not tell", err)
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
