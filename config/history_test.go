package config

import (
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	month := History{DetailedFor: Duration(30 * 24 * time.Hour)}
	for text, want := range map[string]History{
		"":                             Settings().History,
		"history:":                     Settings().History,
		"history: {detailed_for: 30d}": month,
		"history: off":                 {Off: true, DetailedFor: Settings().History.DetailedFor},
		"labels: {commands: [&o off]}\nhistory: *o": {Off: true, DetailedFor: Settings().History.DetailedFor},
	} {
		c := Settings()
		if _, found := decode([]byte(text), c); len(found) > 0 || c.History != want {
			t.Errorf("%q: got %+v, %v", text, c.History, found)
		}
	}
}
