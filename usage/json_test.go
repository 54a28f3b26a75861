package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

func TestJSON(t *testing.T) {
	u, err := Compute(team(t), Query{Step: Day, Since: at("18T00:00"), By: []string{"tool"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(u)
	const numbers = `{"tool_calls":1,"tool_errors":0,"tool_results":0,"tool_seconds":0,"tool_result_bytes":0}`
	const want = `{"since":"2026-11-18T00:00:00Z","step":"day","time_zone":"UTC","by":["tool"],"recorded_since":"2026-11-16T23:30:00Z",` +
		`"total":` + numbers + `,"rows":[{"start":"2026-11-18T00:00:00Z","labels":{"tool":"Read"},"values":` + numbers + `}]}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// A usage that was encoded and decoded is the same.
func TestDecode(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []Query{
		{},
		{Since: at("17T00:00"), Until: at("18T09:05")},
		{Step: Day, Location: berlin, By: []string{"model", "project"}, Where: map[string][]string{"user": {"ann"}}},
		{Step: Week, Since: at("19T00:00")},
	} {
		want, err := Compute(team(t), q)
		if err != nil {
			t.Fatal(err)
		}
		want.Undated[Cost] = 1234567890123456
		want.Unpriced = map[string]uint64{"unheard-of": 1<<53 + 1}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Usage
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if again, err := json.Marshal(got); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%+v: encoded again: %v\n%s", q, err, difftest.Diff(string(b), string(again)))
		}
		if got.Total != want.Total || got.Undated != want.Undated || !reflect.DeepEqual(got.Measures, want.Measures) || len(got.Rows) != len(want.Rows) {
			t.Errorf("%+v: usage differs:\n%s", q, difftest.Diff(want, got))
		}
		for i := range got.Rows {
			g, w := got.Rows[i], want.Rows[i]
			if g.Values != w.Values || !g.Start.Equal(w.Start) || fmt.Sprint(g.Labels) != fmt.Sprint(w.Labels) {
				t.Errorf("%+v: row %d: got %+v, want %+v", q, i, g, w)
			}
		}
	}
}

func TestDecodeOther(t *testing.T) {
	var u Usage
	const other = `{"step":"day","time_zone":"Mars/Olympus","total":{"requests":1,"starships":2},"rows":[{"start":"2026-11-18T00:00:00+05:30","values":{"requests":1}}]}`
	if err := json.Unmarshal([]byte(other), &u); err != nil {
		t.Fatal(err)
	}
	if _, offset := u.Rows[0].Start.In(u.Location).Zone(); offset != 19800 || u.Total != (Values{Requests: 1}) || len(u.Measures) != 1 {
		t.Errorf("got %+v", u)
	}
	for _, text := range []string{`[]`, `{}`, `{"total":[]}`, `{"rows":[{"start":"now"}]}`} {
		if json.Unmarshal([]byte(text), &u) == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}

// Label values may be anything.
func TestHostileLabel(t *testing.T) {
	const hostile = "a\"b\\c\n\x1b[31m\u2028</script>\xff日本"
	u, err := Compute(recordOf(t, request{at: "2026-11-17T09:00:00Z", project: hostile, model: "opus", input: 1}), Query{By: []string{"project"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(u)
	var got Usage
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if want := strings.ToValidUTF8(hostile, "\ufffd"); err != nil || got.Rows[0].Labels[0] != want {
		t.Errorf("got %+v and %v, want %q", got.Rows, err, want)
	}
}

// A usage with many rows is written in parts.
func TestWriteParts(t *testing.T) {
	u := Usage{Query: Query{Step: Hour, Location: time.UTC}, Measures: []Measure{Requests}}
	for i := range 5000 {
		u.Rows = append(u.Rows, Row{Start: now.Add(time.Duration(i) * time.Hour), Values: Values{Requests: uint64(i)}})
	}
	var w parts
	var got Usage
	if err := errors.Join(u.WriteJSON(&w), json.Unmarshal(w.Bytes(), &got)); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != len(u.Rows) || got.Rows[4999].Values[Requests] != 4999 || w.largest > 64<<10 || w.count < 5 {
		t.Errorf("got %d rows in %d parts of up to %d bytes", len(got.Rows), w.count, w.largest)
	}
	if err := u.WriteJSON(failing{}); err == nil {
		t.Error("got no error from a writer that fails")
	}
}

// parts counts the writes to a buffer.
type parts struct {
	bytes.Buffer
	count, largest int
}

func (p *parts) Write(b []byte) (int, error) {
	p.count, p.largest = p.count+1, max(p.largest, len(b))
	return p.Buffer.Write(b)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }
