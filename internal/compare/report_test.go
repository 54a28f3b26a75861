package main

import (
	"errors"
	"testing"
	"time"
)

func TestReport(t *testing.T) {
	const mb = 1_000_000
	cost := func(wall, cpu time.Duration, peak int64) sample { return sample{wall, cpu, peak, 20 * mb} }
	ms := time.Millisecond
	r := report{
		date:    time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC),
		machine: "linux/amd64 with 2 cores",
		corpus: &corpus{
			files: make([]string, 1200), lines: 34567, size: 2000 * mb,
			truth: &tokens{1000, 200, 30, 4_000_000},
		},
		rounds: 3,
		programs: []*program{
			{name: "wc -l", note: "wc 9.1", samples: []sample{
				cost(100*ms, 90*ms, 20*mb), cost(200*ms, 95*ms, 20*mb), cost(100*ms, 91*ms, 20*mb),
			}},
			{name: "jq", note: "jq 1.6, once", tokens: &tokens{2000, 200, 31, 3_999_998}, samples: []sample{
				cost(10_000*ms, 9_990*ms, 28*mb),
			}},
			{name: "ccwatchd", note: "commit 1234", tokens: &tokens{1000, 200, 30, 4_000_000}, samples: []sample{
				cost(400*ms, 800*ms, 30*mb), cost(1600*ms, 810*ms, 32*mb), cost(500*ms, 790*ms, 31*mb),
			}},
			{name: "ccusage", note: "ccusage 20", failure: errors.New("run ccusage: exit status 1: no data"), samples: []sample{
				cost(400*ms, 800*ms, 30*mb),
			}},
		},
		absent: []string{"cat: cat is not installed"},
	}
	const want = "Measured on 2026-11-21 on linux/amd64 with 2 cores: 2,000 MB of session files, 1,200 files with 34,567 lines, in the page cache; medians of 3 rounds.\n" + `
| program | wall time | × ` + "`wc -l`" + ` | CPU time | peak memory | MB/s |
|---|--:|--:|--:|--:|--:|
| ` + "`wc -l`" + ` | 0.10 s | 1.0 | 0.09 s | ≤ 20 MB | 20000 |
| ` + "`jq`" + ` | 10.00 s | 100.0 | 9.99 s | 28 MB | 200 |
| ` + "`ccwatchd`" + ` | 0.50 s | 5.0 | 0.80 s | 31 MB | 4000 |

≤: less than the measuring program itself, whose memory Linux counts for whatever it starts.

| tokens | input | output | cache write | cache read |
|---|--:|--:|--:|--:|
| truth | 1,000 | 200 | 30 | 4,000,000 |
| ` + "`jq`" + ` | 2,000 (+100.0 %) | 200 (exact) | 31 (+3.3 %) | 3,999,998 (-0.00005 %) |
| ` + "`ccwatchd`" + ` | 1,000 (exact) | 200 (exact) | 30 (exact) | 4,000,000 (exact) |

- ` + "`wc -l`" + `: wc 9.1
- ` + "`jq`" + `: jq 1.6, once
- ` + "`ccwatchd`" + `: commit 1234
- Left out, cat: cat is not installed
- Left out, ccusage: run ccusage: exit status 1: no data
`
	if got := r.markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Somebody's own sessions, on a system that tells little: nothing to repeat, no
// truth, no baseline, no memory.
func TestReportOfLess(t *testing.T) {
	r := report{
		date:    time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		command: "go run ./internal/compare",
		machine: "windows/amd64 with 8 cores",
		corpus:  &corpus{files: make([]string, 1), lines: 2, size: 30_000},
		rounds:  1,
		programs: []*program{{name: "ccwatchd", note: "commit 1234", tokens: &tokens{1, 2, 3, 4}, samples: []sample{
			{wall: 10 * time.Millisecond, cpu: 20 * time.Millisecond},
		}}},
	}
	const want = `Measured on 2026-11-21 on windows/amd64 with 8 cores: 0.0 MB of session files, 1 files with 2 lines, in the page cache; medians of one round.
To repeat it: ` + "`go run ./internal/compare`" + `.

| program | wall time | × ` + "`wc -l`" + ` | CPU time | peak memory | MB/s |
|---|--:|--:|--:|--:|--:|
| ` + "`ccwatchd`" + ` | 0.01 s | – | 0.02 s | – | 3 |

| tokens | input | output | cache write | cache read |
|---|--:|--:|--:|--:|
| ` + "`ccwatchd`" + ` | 1 | 2 | 3 | 4 |

- ` + "`ccwatchd`" + `: commit 1234
`
	if got := r.markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
