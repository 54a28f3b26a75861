package daemon

import (
	"runtime"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/tailer"
)

// allocated is how many bytes were ever allocated. What something adds to that
// is more than it ever held at once.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A line as long as is allowed, written to a daemon that runs in many pieces,
// takes twice its length at most, besides the little that each piece takes, and
// nothing when it has been read.
func TestLongestLine(t *testing.T) {
	const piece, pieces = 1 << 20, 64
	w := newWorld(t)
	w.settings.MaxLine, w.settings.Scan = tailer.DefaultMaxLine, time.Hour // no walk is in the figures
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.shows(counted(1, 1))
	// Nearly all of it is in a field that nothing is made of.
	line := `{"type":"progress","sessionId":"a","data":{"output":"`
	end := `"}}` + "\n"
	x := strings.Repeat("x", piece)

	var backlog dto.Metric
	waiting := func() float64 { // without what a whole exposition takes
		if err := w.health.Backlog.Write(&backlog); err != nil {
			t.Fatal(err)
		}
		return backlog.GetGauge().GetValue()
	}

	before, made := heap(), allocated()
	w.add("p/a.jsonl", line)
	for i := range pieces {
		part := x
		if i == pieces-1 {
			part = x[:piece-len(line)-len(end)]
		}
		w.add("p/a.jsonl", part)
		w.eventually("the piece being searched", func() bool { return waiting() >= float64(i)*piece })
	}
	w.add("p/a.jsonl", end)
	w.eventually("the line being read", func() bool { return waiting() == 0 })
	if got, limit := allocated()-made, uint64((2*pieces+8)*piece); got > limit {
		t.Errorf("%d bytes were allocated for a line of %d, want %d at most", got, pieces*piece, limit)
	}
	if got := heap() - before; got > piece {
		t.Errorf("%d bytes are kept", got)
	}
	w.shows(totals{`ccwatchd_lines_total{type="progress"}`: 1})
}
