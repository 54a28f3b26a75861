package demo

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// Every workday before the beginning has lines. Some sessions have ended, and others
// end soon. Every registered session is that of a writer.
func TestPast(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	const days = 10
	s := newSimulation(t, Options{Seed: 1, People: 2, Speed: 60, Days: days}, start)
	ended, soon, registered, worked := 0, 0, make(map[string]bool), make(map[int]bool)
	for name, content := range transcripttest.ReadTree(t, s.Dir()) {
		if strings.Contains(name, "/sessions/") {
			var process struct{ SessionID string }
			if err := json.Unmarshal([]byte(content), &process); err != nil {
				t.Error(err)
			}
			registered[process.SessionID] = true
			continue
		}
		last := start.AddDate(-1, 0, 0)
		for line := range strings.Lines(content) {
			var entry struct{ Timestamp time.Time }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Timestamp.After(last) {
				last = entry.Timestamp
				worked[last.YearDay()] = true
			}
		}
		switch age := start.Sub(last); {
		case age < 0:
			t.Errorf("%s has a line of the future", name)
		case age >= 24*time.Hour:
			ended++
		case age > 24*time.Hour-time.Minute:
			soon++
		}
	}
	if ended == 0 || soon == 0 {
		t.Errorf("%d sessions have ended, and %d end soon", ended, soon)
	}
	for i := range days - 1 {
		if at := start.AddDate(0, 0, -1-i); isWorkday(at) && !worked[at.YearDay()] {
			t.Errorf("there are no lines of %v", at)
		}
	}
	for _, w := range s.writers {
		if id := session(w.lines); !registered[id] || len(registered) != len(s.writers) {
			t.Errorf("%s is not among the registered sessions %v", id, registered)
		}
	}
}
