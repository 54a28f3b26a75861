package usage

import (
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestSessionFilter(t *testing.T) {
	s := &ledger.Session{Project: "web", Model: "claude-opus-4-8", Source: counters.NewSourceLabels(map[string]string{"user": "ann"})}
	for _, tt := range []struct {
		where map[string][]string
		want  bool
	}{
		{map[string][]string{"user": {"bob", "ann"}}, true},
		{map[string][]string{"user": {"bob"}}, false},
		{map[string][]string{"team": {""}}, true},
		{map[string][]string{ProjectLabel: {"web"}, ModelNameLabel: {"opus-4-8"}}, true},
		{map[string][]string{ProjectLabel: {"web"}, ModelNameLabel: {"opus-4-6"}}, false},
		{map[string][]string{ProjectLabel: {"api"}}, false},
	} {
		if got := SessionFilter(tt.where)(s); got != tt.want {
			t.Errorf("%v: got %v", tt.where, got)
		}
	}
	if SessionFilter(nil) != nil {
		t.Error("got a filter without labels")
	}
}

// The times of days begin with intervals of sessions, also where days begin at a
// quarter past an hour in UTC: each interval is in one day.
func TestSessionTime(t *testing.T) {
	kathmandu := time.FixedZone("", 5*3600+45*60)
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, kathmandu)
	if got, want := SessionTime(at), at.Add(-15*time.Minute).UnixMilli(); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestSourceLabelNames(t *testing.T) {
	h := &counters.History{Families: []counters.FamilyHistory{{Series: make([]counters.SeriesHistory, 2)}}}
	h.Families[0].Series[0].Source = counters.NewSourceLabels(map[string]string{"user": "ann", "host": "a"})
	h.Families[0].Series[1].Source = counters.NewSourceLabels(map[string]string{"team": "b"})
	if got := SourceLabelNames(h); !slices.Equal(got, []string{"host", "team", "user"}) {
		t.Errorf("got %q", got)
	}
}

// Prompts have all kinds; commands are those with a slash or for the shell.
func TestCommands(t *testing.T) {
	l := ledger.New(ledgertest.Options(), now.UnixMilli())
	l.Open(ledger.File{ID: 1, Kind: transcript.KindOf("s.jsonl"), Name: transcript.KeyOf("s")})
	batch := &ledger.Batch{File: 1, Now: now.UnixMilli()}
	for _, kind := range transcript.PromptKinds {
		batch.Entries = append(batch.Entries, transcript.Entry{
			Type: "user", Time: now.UnixMilli(), Session: transcript.KeyOf("s"), SessionID: "s", UUID: transcript.KeyOf(kind),
			Prompt: &transcript.Prompt{Kind: kind, TextKey: transcript.KeyOf("text", kind)},
		})
	}
	l.AddBatch(batch)
	l.Settle()
	h := l.History()
	u, err := Compute(&h, Query{})
	if err != nil || u.Total[Prompts] != 6 || u.Total[Commands] != 3 {
		t.Errorf("got %d prompts and %d commands of 6 and 3, error %v", u.Total[Prompts], u.Total[Commands], err)
	}
}
