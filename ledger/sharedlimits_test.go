package ledger

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// Before format 3, sources shared the limits of labels, so one source could fill them
// for all. A state of that time, in which mallory has done so, counts new usage of
// alice under its names, and none of its counters falls. The limits were 2.
func TestNamesAfterSharedLimits(t *testing.T) {
	for _, tt := range []struct {
		state   string
		started bool
	}{{"format2-started", true}, {"format2-new", false}} {
		l := sharedLimits(t, tt.state)
		before := values(l)
		if !tt.started {
			l.set.Start()
		}
		for i := range 3 {
			for j, project := range []string{"own", "later"} {
				id := fmt.Sprint(tt.state, i, j)
				l.AddBatch(&Batch{File: 2, Now: birth, Entries: []transcript.Entry{requestIn(id, project, "claude-haiku-4-5")}})
			}
			l.Settle()
			releaseAll(l)
			after := values(l)
			for key, numbers := range before {
				if after[key] == nil && tt.started {
					t.Errorf("%s: %s is gone", tt.state, key)
				}
				for k, n := range numbers {
					if tt.started && after[key] != nil && after[key][k] < n {
						t.Errorf("%s: %s fell from %v to %v", tt.state, key, numbers, after[key])
					}
				}
			}
			l = reopened(t, l)
		}
		requests := func(labels ...string) (n uint64) {
			for _, s := range samplesOf(l, "claude_requests_total") {
				if s.Source == alice && s.Labels[0] == labels[0] && s.Labels[1] == labels[1] {
					n += s.Value
				}
			}
			return n
		}
		old, named := uint64(1), "other"
		if !tt.started {
			named = "own" // the first start decides it for what was counted before
		}
		for _, check := range []struct {
			model, project string
			want           uint64
		}{{"other", named, old}, {"claude-haiku-4-5", "own", 3}, {"claude-haiku-4-5", "later", 3}} {
			if got := requests(check.model, check.project); got != check.want {
				t.Errorf("%s: got %d requests of %s in %s, want %d", tt.state, got, check.model, check.project, check.want)
			}
		}
		if s := textOf(l, alice); !strings.Contains(s, "active own 4") || strings.Contains(s, "active other") {
			t.Errorf("%s: live sessions have no names", tt.state)
		}
		var inOwn uint64
		for _, f := range l.History().Families {
			for i := range f.Series {
				if s := &f.Series[i]; f.Family.Name == "claude_sessions_total" && s.Source == alice && s.Labels[0] == "own" {
					inOwn += s.Value
				}
			}
		}
		if inOwn != 4 {
			t.Errorf("%s: the history has %d sessions in the project, want 4", tt.state, inOwn)
		}
	}
}

// sharedLimits returns the ledger of a state of format 2.
func sharedLimits(t *testing.T, name string) *Ledger {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions()
	o.Limits = map[string]int{"model": 2, "project": 3, "tool": 2}
	l := New(o, 0)
	if err := decode(l, b); err != nil {
		t.Fatal(err)
	}
	l.Configure(o)
	return l
}

// requestIn returns a request in a session of its own, with a tool call.
func requestIn(id, project, model string) transcript.Entry {
	e := sessionEntry(id, birth)
	e.Type, e.UUID, e.Project = "assistant", transcript.KeyOf("uuid", id), project
	e.Message = &transcript.Message{Key: transcript.KeyOf("message", id), Model: model, StopReason: "end_turn", Usage: transcript.Usage{Input: 10}}
	e.Uses = []transcript.ToolUse{{Key: transcript.KeyOf("use", id), Name: model}}
	return e
}
