package demo

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Some sessions of the day before have ended, and others end soon. Every registered
// session is that of a writer.
func TestPast(t *testing.T) {
	s, _ := newSimulation(t, Options{Seed: 1, People: 2, Speed: 60}, start)
	ended, soon, registered := 0, 0, make(map[string]bool)
	for name, content := range tree(t, s.Dir()) {
		if strings.Contains(name, "/sessions/") {
			var process struct{ SessionID string }
			if err := json.Unmarshal([]byte(content), &process); err != nil {
				t.Error(err)
			}
			registered[process.SessionID] = true
			continue
		}
		last := start.Add(-48 * time.Hour)
		for line := range strings.Lines(content) {
			var entry struct{ Timestamp time.Time }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Timestamp.After(last) {
				last = entry.Timestamp
			}
		}
		switch age := start.Sub(last); {
		case age < 23*time.Hour:
			t.Errorf("%s is written before the simulation begins", name)
		case age >= 24*time.Hour:
			ended++
		case age > 24*time.Hour-time.Minute:
			soon++
		}
	}
	if ended == 0 || soon == 0 {
		t.Errorf("%d sessions have ended, and %d end soon", ended, soon)
	}
	for _, w := range s.writers {
		if id := Session(w.lines); !registered[id] || len(registered) != len(s.writers) {
			t.Errorf("%s is not among the registered sessions %v", id, registered)
		}
	}
}
