package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"
)

// report returns a table in Markdown.
func report(o options, r result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s on %s/%s with %d cores: %d files in %d directories, %d lines of each kind, %v idle.\n\n",
		time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), o.files, o.directories, o.rounds, o.idle)
	b.WriteString("| without file events | goal | p50 | p95 | maximum |\n|---|--:|--:|--:|--:|\n")
	for i, k := range kinds() {
		all := r.latencies[i]
		fmt.Fprintf(&b, "| %s | %v | %.2f s | %.2f s | %.2f s |\n", k.name, k.goal,
			quantile(all, 0.5).Seconds(), quantile(all, 0.95).Seconds(), quantile(all, 1).Seconds())
	}
	fmt.Fprintf(&b, "| CPU time while idle, of a core | 0.15 %% | %.3f %% | | |\n", 100*r.idle)
	fmt.Fprintf(&b, "| resident memory | | %.1f MB | | |\n", r.memory/1e6)
	return b.String()
}

// quantile returns the nearest rank: the smallest value that is at least as large as a
// share of the sorted values.
func quantile(sorted []time.Duration, share float64) time.Duration {
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}
