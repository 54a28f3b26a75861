package daemon

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/checkpoint"
)

// readStep is the number of the field of a step with lines that were read.
const readStep = 2

// A tellingJournal tells of every batch of lines that it was given.
type tellingJournal struct {
	*checkpoint.Store
	told chan<- struct{}
}

func (j tellingJournal) Append(step []byte) error {
	err := j.Store.Append(step)
	if n, _, _ := protowire.ConsumeTag(step); n == readStep {
		j.told <- struct{}{}
	}
	return err
}

// BenchmarkWake measures the time from a line being written to a daemon that
// sleeps, to the moment from which a scrape shows it. Nobody asks for the
// counters meanwhile: whoever does so all the time takes the processor away
// from the daemon.
func BenchmarkWake(b *testing.B) {
	w := newWorld(b)
	w.settings.Scan, w.settings.Poll = time.Hour, time.Second
	for i := range 1000 {
		w.write(fmt.Sprintf("p%d/%d.jsonl", i%10, i), said(fmt.Sprint("s", i), 1))
	}
	w.start()
	told := make(chan struct{}, 1)
	w.d.state.SetJournal(tellingJournal{w.d.store, told})
	file, err := os.OpenFile(w.path("p0/0.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // what matters was written
	k := &talk{Name: "live", ID: "s0", CWD: "/p"}
	var took []time.Duration
	for b.Loop() {
		k.Lines = nil
		line := k.Prompt("hello").String()
		<-time.After(3 * time.Millisecond) // it sleeps
		begin := time.Now()
		if _, err := file.WriteString(line); err != nil {
			b.Fatal(err)
		}
		<-told
		whileLocked(w.d.state, func() { took = append(took, time.Since(begin)) }) // as a scrape does
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
