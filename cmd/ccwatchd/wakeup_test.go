package main

import (
	"fmt"
	"path/filepath"
	"runtime"
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
	const lines = 1000 // enough for the resolution of the CPU time
	p := newSandbox(t)
	s := script{cwd: "/home/dev/wake", session: uuid(1), at: time.Now()}
	path := filepath.Join(p.projects(), "-home-dev-wake", s.session+".jsonl")
	writeFile(t, path, s.call("first", "Bash"))
	d := p.start(t).ready()
	begin, before := time.Now(), d.cpu()
	rest(10 * time.Second)
	idle := float64(d.cpu()-before) / float64(time.Since(begin))
	t.Logf("idle: %.4f %% of a core", 100*idle)

	begin, before = time.Now(), d.cpu()
	for i := range lines {
		appendFile(t, path, s.call(fmt.Sprint(i), "Bash"))
		rest(10 * time.Millisecond)
	}
	took := d.cpu() - before - time.Duration(idle*float64(time.Since(begin)))
	t.Logf("a wake-up: %v of CPU", took/lines)
	eventually(t, "all lines are counted", func() bool { return d.requests() == lines+1 })
}
