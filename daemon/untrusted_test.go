package daemon

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// newUntrustedHarness returns a harness for transcripts that anyone may have written.
// Labels and the longest line are limited as in the default configuration.
func newUntrustedHarness(t testing.TB) *harness {
	t.Helper()
	h := newHarness(t)
	h.useDefaultLabels()
	return h
}

func (h *harness) useDefaultLabels() {
	h.settings.MaxLine = tailer.DefaultMaxLine
	h.settings.Labeller = &config.Labels{Projects: config.Projects{Naming: config.ByName}}
}

const (
	knownFile    = "p/known.jsonl"
	knownReplies = 2
)

// writeKnownSession writes a session of two replies, and returns its exact totals.
func (h *harness) writeKnownSession() totals {
	h.Helper()
	h.Write(knownFile, replies("known", knownReplies))
	return totals{
		`claude_tokens_total{type="input",model="opus",project="known",agent="main"}`:              2,
		`claude_tokens_total{type="output",model="opus",project="known",agent="main"}`:             20,
		`claude_requests_total{model="opus",project="known",agent="main",stop_reason="end_turn"}`:  2,
		`claude_cache_requests_total{result="uncached",model="opus",project="known",agent="main"}`: 2,
		prompts("known"):                         2,
		`claude_sessions_total{project="known"}`: 1,
	}
}

func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// checkReadOnce waits for a scan, and checks that only the known session was read, and
// once.
func (h *harness) checkReadOnce(want totals) {
	h.Helper()
	h.waitForScans(1)
	got := h.waitForSeries(want)
	checkEqual(h, readBytes, got[readBytes], uint64(len(replies("known", knownReplies))))
	checkEqual(h, replaced, got[replaced], 0)
	h.waitForFileCount(1)
}

// Each of many files needs little memory, no descriptor and no goroutine. Only a
// limited number of files is kept open. There are 5,000 files, or 20,000 with large
// inputs.
func TestManyFiles(t *testing.T) {
	testsize.SkipRace(t, "takes long")
	many := testsize.Of(20_000, 5_000)
	h := newUntrustedHarness(t)
	h.settings.Scan = time.Hour
	if h.settings.MaxWatches < 0 { // polling checks only some files, scans all files
		h.settings.Scan = 10 * time.Second
	}
	want := h.writeKnownSession()
	name := func(i int) string { return fmt.Sprintf("p%d/%d.jsonl", i%100, i) }
	for i := range many { // every other file is empty
		text := ""
		if i%2 == 0 {
			text = fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":"s%d","cwd":"/home/dev/many","message":{"content":"text %d"}}`+"\n", i, i, i)
		}
		h.Write(name(i), text)
	}
	want[prompts("many")] = uint64(many / 2)
	want[`claude_sessions_total{project="many"}`] = uint64(many / 2)
	descriptors, goroutines := leaktest.Descriptors(t), runtime.NumGoroutine()
	h.checkHeapGrowth(400*many+4<<20, func() {
		h.start()
		h.waitForSeries(want)
	})
	h.checkFileCount(many + 1)
	for i := range min(many, 500) {
		h.Append(name(i), replies(fmt.Sprint("more", i), 1))
		if i%2 == 0 { // the file remains in its project
			want[prompts("many")]++
			want[`claude_sessions_total{project="many"}`]++
		} else {
			want[prompts(fmt.Sprint("more", i))] = 1
		}
	}
	h.waitForSeries(want)
	const kept = 32
	if n := leaktest.Descriptors(t) - descriptors; n > kept+10 {
		t.Errorf("got %d more descriptors, want at most %d", n, kept+10)
	}
	if n := runtime.NumGoroutine() - goroutines; n > 10 {
		t.Errorf("got %d more goroutines, want at most 10", n)
	}
	h.restart()
	h.waitForSeries(want)
}

// A file that is rewritten all the time is read at most once per rewrite, no content
// counts twice, and other files have their turn.
func TestFileRewrittenAllTheTime(t *testing.T) {
	const times = 200
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	// The versions have different models, but the same project: lines read while a
	// version is replaced count for the project of the old version.
	two := strings.NewReplacer("/home/dev/two", "/home/dev/one", `"opus"`, `"sonnet"`).Replace(replies("two", 20))
	versions := []string{replies("one", 20), two, replies("one", 5)}
	h.Write(fileA, versions[0])
	h.start()
	h.waitForSeries(want)
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := range times {
			if err := os.WriteFile(h.Path(fileA), []byte(versions[i%len(versions)]), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 10 {
		h.Write(fileB, replies("other", i+1))
		want[prompts("other")] = uint64(i + 1)
		h.waitForSeries(want)
	}
	writing.Wait()
	for i, model := range []string{"opus", "sonnet"} { // now each version stays long enough
		h.Write(fileA, versions[i])
		want[fmt.Sprintf("claude_requests_total{model=%q,project=%q,agent=%q,stop_reason=%q}", model, "one", "main", "end_turn")] = 20
		h.waitForSeries(want)
	}
	got := h.totals()
	limit := uint64((times+20)*len(versions[0]) + 20*len(replies("other", 10)))
	if got[readBytes] > limit {
		t.Errorf("got %d bytes read, want at most %d", got[readBytes], limit)
	}
	if resets := got[replaced] + got[truncated]; resets == 0 || resets > times+20 {
		t.Errorf("got %d file resets for %d rewrites", resets, times)
	}
	h.restart()
	h.waitForSeries(want)
}

// A file with many names counts once, and scans and restarts do not read it again. The
// scans write nothing to the journal.
func TestManyHardLinks(t *testing.T) {
	h := newUntrustedHarness(t)
	want := h.writeKnownSession()
	for i := range 200 {
		link := h.Path(fmt.Sprintf("q%d/%d.jsonl", i%10, i))
		h.Must(os.MkdirAll(h.Path(fmt.Sprintf("q%d", i%10)), 0o700))
		err := os.Link(h.Path(knownFile), link)
		if errors.Is(err, syscall.EMLINK) {
			t.Skip(err)
		}
		h.Must(err)
	}
	h.start()
	h.checkReadOnce(want)
	before := fileSize(t, newestJournal(t, h.stateDir))
	h.waitForScans(5)
	checkEqual(t, "size of the journal", fileSize(t, newestJournal(t, h.stateDir)), before)
	h.restart()
	h.checkReadOnce(want)
	h.Append("q3/3.jsonl", replies("more", 1))
	h.waitFor(counts(3, 2).with(readBytes, uint64(len(replies("known", knownReplies)+replies("more", 1)))))
}
