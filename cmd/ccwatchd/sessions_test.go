package main

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// TestSessions writes sets of transcripts while the daemon runs, and compares its
// totals with the totals of the reference:
//
//	CCWATCHD_SESSIONS/*/expected.tsv    the totals of the reference
//	CCWATCHD_SESSIONS/*/...             the transcripts, at any depth
//
// If expected.tsv is in CCWATCHD_SESSIONS itself, and in no directory below, this is
// the only set. Sets of more than CCWATCHD_SESSIONS_MB (default 64) are skipped.
func TestSessions(t *testing.T) {
	dir := os.Getenv("CCWATCHD_SESSIONS")
	if dir == "" {
		t.Skip("needs transcripts from outside the repository: set CCWATCHD_SESSIONS to their directory")
	}
	skipOnWindows(t)
	limit, err := strconv.Atoi(cmp.Or(os.Getenv("CCWATCHD_SESSIONS_MB"), "64"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, set := range sets(t, dir) {
		t.Run(filepath.Base(set), func(t *testing.T) {
			all := readTranscripts(t, set)
			p := newSandbox(t)
			w := newTraffic(t, rand.New(rand.NewPCG(*seed, 0)), p.projects(), all)
			if w.size > limit<<20 {
				t.Skipf("%d MB", w.size>>20)
			}
			compared++
			followSet(t, p, w, unfinished(all), expected(t, filepath.Join(set, "expected.tsv")))
		})
	}
	if compared == 0 {
		t.Errorf("got no set to compare in %s", dir)
	}
}

// sets returns the directories with expected totals.
func sets(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		files = []string{filepath.Join(dir, "expected.tsv")}
	}
	for i := range files {
		files[i] = filepath.Dir(files[i])
	}
	slices.Sort(files)
	return files
}

// followSet writes a set in small parts while daemons run, are scraped, and are killed
// or stopped.
func followSet(t *testing.T, p sandbox, w *traffic, backlog float64, want reference.Totals) {
	t.Helper()
	const parts = 6
	p.configure(t, roomySettings(p, "10m"))
	var h counterChecker
	share := w.size/parts + 1
	for i := range parts {
		d := p.start(t).ready()
		written := make(chan struct{})
		go func() {
			defer close(written)
			w.write(share, nil)
		}()
		d.watchWhile(written, &h)
		if i%2 == 0 {
			d.kill()
		} else {
			d.stop()
		}
	}
	w.finish()
	d := p.start(t).ready()
	polltest.Eventually(t, "everything is read", func() bool { return d.sample("ccwatchd_backlog_bytes") == backlog })
	d.kill()

	p.configure(t, roomySettings(p, "1s")) // finalizes open messages soon
	d = p.start(t).ready()
	// Claude Code 2.0.8 copied calls and their results with changed times. The reference
	// uses the earliest copy, while the daemon reads copies in any order.
	d.waitForTotals(want, &h, reference.Options{LatencyTolerance: time.Second})
	d.waitForTurns(parse(t, p.once(t, p.projects()), plainText))
}

// waitForTurns waits until the daemon has counted as many turns as once, the samples of
// "ccwatchd once". The reference does not count turns.
func (d *process) waitForTurns(once exposition.Samples) {
	d.t.Helper()
	const name = "claude_turns_total"
	want, _ := once.Sum(name)
	var got float64
	defer func() {
		if got != want {
			d.t.Errorf("got %v turns, want %v as in ccwatchd once", got, want)
		}
	}()
	polltest.Eventually(d.t, "the turns are counted", func() bool {
		got, _ = parse(d.t, d.page("/metrics"), plainText).Sum(name)
		return got == want
	})
	d.t.Logf("%v turns", got)
}

// roomySettings returns a configuration with limits above the number of label values.
func roomySettings(p sandbox, settle string) string {
	return "sources: [{path: " + strconv.Quote(p.projects()) + "}]\n" +
		"labels: {max_values: {tool: 10000, mcp_server: 1000, error: 1000, status: 1000, model: 1000}}\n" +
		"intervals: {scan: 1s, message_timeout: " + settle + "}\n"
}

// watchWhile scrapes until the channel is closed.
func (d *process) watchWhile(done <-chan struct{}, h *counterChecker) {
	d.t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for n := 0; ; n++ {
		if samples, ok := d.scrapeInTurn(n); ok {
			h.check(d.t, samples)
		}
		select {
		case <-done:
			return
		case <-again.C:
		}
	}
}

// unfinished returns the number of bytes after the last newlines.
func unfinished(all transcripttest.Tree) (n float64) {
	for _, content := range all {
		n += float64(len(content) - 1 - strings.LastIndexByte(content, '\n'))
	}
	return n
}

func expected(t testing.TB, path string) reference.Totals {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	totals, err := reference.ParseTSV(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return totals
}

// shown returns the totals of an exposition.
func shown(t testing.TB, text string) reference.Totals {
	t.Helper()
	totals, err := reference.ParseExposition(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return totals
}
