package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/format"
)

// report returns a table in Markdown with a column for each mode.
func report(o options, results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s on %s/%s with %d cores: %s files in %s directories, %s; %s of each kind, %v idle.\n\n| minimum / median / p95 / maximum |",
		time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		format.Number(o.files), format.Number(o.directories), format.Count(o.hot, "hot file", "hot files"),
		format.Count(o.rounds, "line", "lines"), o.idle)
	row(&b, results, func(r result) string { return r.mode })
	b.WriteString("|---|")
	b.WriteString(strings.Repeat("--:|", len(results)) + "\n")
	for i, k := range kinds() {
		b.WriteString("| " + k.name + " |")
		row(&b, results, func(r result) string { return distribution(r.latencies[i]) })
	}
	b.WriteString("| CPU time while idle, of a core |")
	row(&b, results, func(r result) string { return fmt.Sprintf("%.3f %%", 100*r.idle) })
	b.WriteString("| resident memory |")
	row(&b, results, memory)
	return b.String()
}

func memory(r result) string {
	if r.memory == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f MB", r.memory/1e6)
}

// row completes a row of the table.
func row(b *strings.Builder, results []result, cell func(result) string) {
	for _, r := range results {
		b.WriteString(" " + cell(r) + " |")
	}
	b.WriteString("\n")
}

// distribution returns the minimum, the median, the 95th percentile and the maximum.
func distribution(all []time.Duration) string {
	sorted := slices.Sorted(slices.Values(all))
	var cells []string
	for _, q := range []float64{0, 0.5, 0.95, 1} {
		cells = append(cells, duration(quantile(sorted, q)))
	}
	return strings.Join(cells, " / ")
}

// quantile returns the nearest rank: the smallest value that is at least as large as a
// share of the sorted values.
func quantile(sorted []time.Duration, share float64) time.Duration {
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

// duration formats a duration with two significant digits or more.
func duration(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms < 9.95:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 999.5:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}
