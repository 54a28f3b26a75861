//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// measure runs the programs in turn and stores the costs in them. Round 0 is not
// measured.
func measure(ctx context.Context, programs []*program, rounds int, progress io.Writer) {
	for round := range rounds + 1 {
		for _, p := range programs {
			if p.err != nil || p.once && round != 1 || ctx.Err() != nil {
				continue
			}
			_, _ = fmt.Fprintf(progress, "compare: round %d of %d: %s\n", round, rounds, p.name)
			p.err = p.run(ctx, round > 0)
		}
	}
}

func (p *program) run(ctx context.Context, measured bool) (err error) {
	var stdout, stderr bytes.Buffer
	cmd := p.command(ctx)
	cmd.WaitDelay = time.Second // for children of an interrupted command
	if cmd.Stderr = &stderr; p.totals != nil {
		cmd.Stdout = &stdout
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(stderr.String())
		return fmt.Errorf("%w: %s", err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	if state := cmd.ProcessState; measured {
		usage, _ := state.SysUsage().(*syscall.Rusage)
		p.wall = append(p.wall, time.Since(start))
		p.cpu = append(p.cpu, state.UserTime()+state.SystemTime())
		p.peak = append(p.peak, maxRSS(usage))
	}
	if p.totals != nil {
		p.tokens, err = p.totals(&stdout)
	}
	return err
}

func maxRSS(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) //nolint:unconvert // 32 bits on some systems; bytes on this one
	}
	return int64(usage.Maxrss) << 10 //nolint:unconvert // KiB
}

// median returns the mean of the two middle values if their number is even, and 0 if
// there are none.
func median[T ~int64 | ~float64](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// pairedRatio returns the median of the ratios within a round, 0 without rounds that
// both programs ran in.
func pairedRatio(times, base []time.Duration) float64 {
	var ratios []float64
	for i := range min(len(times), len(base)) {
		ratios = append(ratios, float64(times[i])/float64(base[i]))
	}
	return median(ratios)
}

// report returns both tables in Markdown, and notes on the programs.
func report(c *corpus, rounds int, programs []*program) string {
	var costs, totals, notes strings.Builder
	if c.expected != nil {
		totals.WriteString("| truth" + c.expected.cells(nil) + " |\n")
	}
	var own syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own) // cannot fail with these arguments
	for _, p := range programs {
		if p.err != nil {
			fmt.Fprintf(&notes, "- Left out, `%s`: %v\n", p.name, p.err)
			continue
		}
		costs.WriteString(p.costs(programs[0].wall, c.size))
		if p.tokens != nil {
			fmt.Fprintf(&totals, "| `%s`%s |\n", p.name, p.tokens.cells(c.expected))
		}
		fmt.Fprintf(&notes, "- `%s`: %s\n", p.name, p.note)
	}
	return fmt.Sprintf(`Measured on %s on %s/%s with %d cores: %s MB in %s files, in the page cache; medians of %d rounds.

| program | wall time | × %s | CPU time | peak memory | MB/s |
|---|--:|--:|--:|--:|--:|
%s
A peak of about %d MB may be that of the measuring program, which Linux counts for the processes that it starts.

| tokens | input | output | cache write | cache read |
|---|--:|--:|--:|--:|
%s
%s`, time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		grouped(c.size/1e6), grouped(int64(len(c.files))), rounds, "`"+programs[0].name+"`", &costs, maxRSS(&own)/1e6, &totals, &notes)
}

// costs is the program's row in the table of costs.
func (p *program) costs(base []time.Duration, size int64) string {
	wall := median(p.wall).Seconds()
	return fmt.Sprintf("| `%s` | %.2f s | %.1f | %.2f s | %s MB | %.0f |\n", p.name, wall, pairedRatio(p.wall, base),
		median(p.cpu).Seconds(), grouped(median(p.peak)/1e6), float64(size)/1e6/wall)
}

// cells are a row of totals, with deviations if the truth is known.
func (t *tokens) cells(truth *tokens) string {
	var b strings.Builder
	for i, n := range t.fields() {
		b.WriteString(" | " + grouped(*n))
		if truth != nil {
			b.WriteString(" (" + deviation(*n, *truth.fields()[i]) + ")")
		}
	}
	return b.String()
}

// deviation is "exact" only if the values are equal.
func deviation(got, want int64) string {
	percent := 100 * float64(got-want) / float64(want)
	switch {
	case got == want:
		return "exact"
	case want == 0 || math.Abs(percent) < .05:
		return fmt.Sprintf("%+d", got-want)
	default:
		return fmt.Sprintf("%+.1f %%", percent)
	}
}

// grouped writes a number with commas between groups of three digits.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
