package usage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// The test of the dashboards has the same names. Only these cannot change the case.
func TestModelName(t *testing.T) {
	text := filetest.Read(t, "testdata/modelnames.txt")
	names := map[string]string{"Claude Haiku 4.5": "haiku-4-5", "": ""}
	for line := range strings.Lines(text) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		names[id] = name
	}
	for id, want := range names {
		if got := ModelName(id); got != want {
			t.Errorf("%s has the name %s, want %s", id, got, want)
		}
	}
}

// inputs describes the rows of a usage: labels and input tokens.
func inputs(u *Usage) string {
	var all []string
	for _, r := range u.Rows {
		all = append(all, fmt.Sprint(r.Labels, " ", r.Values[InputTokens]))
	}
	return strings.Join(all, ", ")
}

// Queries select and group by the names of models. Rows by ids have both in JSON.
func TestByModelName(t *testing.T) {
	h := recordOf(t,
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "claude-opus-4-8", user: "ann", input: 1},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "claude-opus-4-8[1m]", user: "ann", input: 2},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "us.anthropic.claude-opus-4-8-v1", input: 4},
		request{at: "2026-11-17T09:00:00Z", project: "web", model: "claude-sonnet-5", user: "ann", input: 8},
	)
	if got, want := LabelValues(h, ModelNameLabel), []string{"sonnet-5", "opus-4-8"}; !slices.Equal(got, want) {
		t.Errorf("got names %v, want %v", got, want)
	}
	for want, q := range map[string]Query{
		"[opus-4-8] 3, [sonnet-5] 8": {By: []string{ModelNameLabel}, Where: map[string][]string{"user": {"ann"}}},
		"[] 7":                       {Where: map[string][]string{ModelNameLabel: {"opus-4-8"}}},
	} {
		u, err := Compute(h, q)
		if err != nil {
			t.Fatal(err)
		}
		if got := inputs(&u); got != want {
			t.Errorf("by %v where %v: got %s, want %s", q.By, q.Where, got, want)
		}
	}
	u, err := Compute(h, Query{By: []string{"model"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(u)
	if want := `"labels":{"model":"claude-opus-4-8[1m]","model_name":"opus-4-8"}`; err != nil || !strings.Contains(string(b), want) {
		t.Errorf("%s is missing in %s, %v", want, b, err)
	}
}
