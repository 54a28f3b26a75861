package daemon

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// The daemon's own metrics.
const (
	saves                 = "ccwatchd_checkpoints_total"
	saveFailures          = "ccwatchd_checkpoint_failures_total"
	stateDamaged          = "ccwatchd_state_damaged_total"
	stateLost             = "ccwatchd_state_lost_total"
	writeBlocked          = "ccwatchd_state_write_blocked"
	unreadableFiles       = "ccwatchd_unreadable_files"
	unreadableDirectories = "ccwatchd_unreadable_directories"
	scans                 = "ccwatchd_scans_total"
	backlog               = "ccwatchd_backlog_bytes"
	lastReloadSuccessful  = "ccwatchd_config_last_reload_successful"
)

// metric returns the value of one of the daemon's own metrics without labels.
func (h *harness) metric(name string) float64 {
	h.Helper()
	families, err := h.registry.Gather()
	h.Must(err)
	for _, f := range families {
		if f.GetName() == name {
			m := f.GetMetric()[0]
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	h.Fatalf("there is no metric %s", name)
	return 0
}

func (h *harness) checkMetric(name string, want float64) {
	h.Helper()
	checkEqual(h, name, h.metric(name), want)
}

func (h *harness) waitForMetric(name string, want float64) {
	h.Helper()
	h.waitUntil(fmt.Sprintf("%s is %v", name, want), func() bool { return h.metric(name) == want })
}

// waitForIncrease calls do, and waits until a metric has increased by at least n.
func (h *harness) waitForIncrease(name string, n float64, do func()) {
	h.Helper()
	want := h.metric(name) + n
	do()
	h.waitUntil(fmt.Sprintf("%s is %v or more", name, want), func() bool { return h.metric(name) >= want })
}

// waitForScans waits until the directory has been scanned n more times.
func (h *harness) waitForScans(n float64) {
	h.Helper()
	h.waitForIncrease(scans, n, func() {})
}

// fileCount returns the number of transcripts that the daemon has found.
func (h *harness) fileCount() int {
	return int(h.d.files.Load())
}

func (h *harness) checkFileCount(want int) {
	h.Helper()
	checkEqual(h, "files", h.fileCount(), want)
}

func (h *harness) waitForFileCount(want int) {
	h.Helper()
	h.waitUntil(fmt.Sprintf("the daemon knows %d files", want), func() bool { return h.fileCount() == want })
}

// checkDedupKeys checks the number of messages with a key in the state.
func (h *harness) checkDedupKeys(want int) {
	h.Helper()
	checkEqual(h, "messages with keys", h.scrape().DedupKeys["message"], want)
}

// openMessages returns the number of messages that wait for their final record.
func (h *harness) openMessages() int {
	h.Helper()
	return h.scrape().Unsettled
}

func (h *harness) waitForOpenMessages(want int) {
	h.Helper()
	h.waitUntil(fmt.Sprintf("there are %d open messages", want), func() bool { return h.openMessages() == want })
}

// exposition returns the text of a scrape.
func (h *harness) exposition() *bytes.Buffer {
	h.Helper()
	h.totals() // the scraper sees new series first
	var text bytes.Buffer
	e := metrics.Exposition{Provider: h.d, Registry: h.registry, MaxSessions: h.d.MaxSessions}
	h.Must(e.WriteText(&text))
	return &text
}

// samples parses the exposition, and checks that the values of labels are short UTF-8
// without control characters.
func (h *harness) samples() exposition.Samples {
	h.Helper()
	samples, err := exposition.Parse(h.exposition(), exposition.Text)
	h.Must(err)
	for _, s := range samples {
		for name, value := range s.Labels {
			if v := string(value); len(v) > 128 || !utf8.ValidString(v) || strings.ContainsFunc(v, isControl) {
				h.Errorf("%s has the label %s=%q", s.Name(), name, v)
			}
		}
	}
	return samples
}

// sum returns the sum of the samples with a name and labels, or 0.
func sum(samples exposition.Samples, name string, labels ...string) float64 {
	v, _ := samples.Sum(name, labels...)
	return v
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// heapInUse returns the bytes in use on the heap.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// allocated returns the bytes ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// checkHeapGrowth checks that do leaves at most limit more bytes in use. It polls,
// since the daemon may still be at work when do returns.
func (h *harness) checkHeapGrowth(limit int, do func()) {
	h.Helper()
	before, grown := heapInUse(), int64(0)
	do()
	if !polltest.Poll(10*time.Millisecond, func() bool {
		grown = heapInUse() - before
		return grown <= int64(limit)
	}) {
		h.Errorf("the heap has grown by %d bytes, want at most %d", grown, limit)
	}
}
