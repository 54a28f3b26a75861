package exposition

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

const text = `# TYPE claude_tokens_total counter
claude_tokens_total{type="input",model="a \"b\""} 5
claude_tokens_total{type="output",model=""} 7
# TYPE claude_turn_duration_seconds histogram
claude_turn_duration_seconds_bucket{le="0.5"} 1
claude_turn_duration_seconds_bucket{le="+Inf"} 3
claude_turn_duration_seconds_sum 4.5
claude_turn_duration_seconds_count 3
# TYPE ccwatchd_scans_total counter
ccwatchd_scans_total 9
# TYPE go_goroutines gauge
go_goroutines 12
`

func TestParse(t *testing.T) {
	samples, err := ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range samples {
		got = append(got, fmt.Sprintf("%s %s %v %v", s.Family, s.Series(), s.Value, s.IsCounter()))
	}
	slices.Sort(got)
	want := []string{
		`ccwatchd_scans_total ccwatchd_scans_total 9 true`,
		`claude_tokens_total claude_tokens_total{model="a \"b\"", type="input"} 5 true`,
		`claude_tokens_total claude_tokens_total{type="output"} 7 true`,
		`claude_turn_duration_seconds claude_turn_duration_seconds_bucket{le="+Inf"} 3 true`,
		`claude_turn_duration_seconds claude_turn_duration_seconds_bucket{le="0.5"} 1 true`,
		`claude_turn_duration_seconds claude_turn_duration_seconds_count 3 true`,
		`claude_turn_duration_seconds claude_turn_duration_seconds_sum 4.5 true`,
		`go_goroutines go_goroutines 12 false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("samples differ:\n%s", difftest.Diff(want, got))
	}
	persistent, process := samples.Counters()
	if got, want := slices.Collect(maps.Keys(process)), []string{"ccwatchd_scans_total"}; len(persistent) != 6 || !slices.Equal(got, want) {
		t.Errorf("got persistent counters %v and process counters %v", persistent, got)
	}
	for _, bad := range []string{"<html>\n", "x{ 1\n"} {
		if _, err := ParseText(bad); err == nil || !strings.HasPrefix(err.Error(), "parse the exposition: ") {
			t.Errorf("%q: got error %v", bad, err)
		}
	}
}

func TestParseProtobuf(t *testing.T) {
	at := time.UnixMilli(1234).UTC()
	count, name, value := uint64(1), "x", 2.
	counter := &dto.MetricFamily{Name: &name, Type: dto.MetricType_COUNTER.Enum(), Metric: []*dto.Metric{
		{Counter: &dto.Counter{Value: &value, CreatedTimestamp: timestamppb.New(at)}},
		{Counter: &dto.Counter{Value: &value}},
	}}
	histogram := &dto.MetricFamily{Name: &name, Type: dto.MetricType_HISTOGRAM.Enum(), Metric: []*dto.Metric{
		{Histogram: &dto.Histogram{SampleCount: &count, SampleSum: &value, CreatedTimestamp: timestamppb.New(at)}},
	}}
	for _, test := range []struct {
		family *dto.MetricFamily
		want   []time.Time
	}{
		{counter, []time.Time{at, {}}},
		{histogram, []time.Time{at, at, at}}, // sum, count and the bucket +Inf
	} {
		var b bytes.Buffer
		if _, err := protodelim.MarshalTo(&b, test.family); err != nil {
			t.Fatal(err)
		}
		samples, err := Parse(&b, Protobuf)
		var got []time.Time
		for _, s := range samples {
			got = append(got, s.Created)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%v: got created timestamps %v, error %v, want %v", test.family.GetType(), got, err, test.want)
		}
	}
}

func TestSum(t *testing.T) {
	samples, err := ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		labels []string
		want   float64
		found  bool
	}{
		{"claude_tokens_total", nil, 12, true},
		{"claude_tokens_total", []string{"type", "input"}, 5, true},
		{"claude_tokens_total", []string{"model", ""}, 7, true},
		{"claude_tokens_total", []string{"type", "input", "model", "x"}, 0, false},
		{"claude_turn_duration_seconds_sum", nil, 4.5, true},
		{"claude_tokens", nil, 0, false},
	} {
		if got, found := samples.Sum(test.name, test.labels...); got != test.want || found != test.found {
			t.Errorf("%s %q: got %v, %v, want %v, %v", test.name, test.labels, got, found, test.want, test.found)
		}
	}
}

func TestDiff(t *testing.T) {
	type totals map[string]int64
	want := totals{"b": 1, "a": 2, "zero": 0, "same": 4, "close": 100}
	got := totals{"b": 3, "c": 5, "none": 0, "same": 4, "close": 101}
	differences := Diff(want, got, func(key string, a, b int64) bool { return a == b || key == "close" })
	const expected = "[a missing: want 2, got 0 b differs: want 1, got 3 c extra: want 0, got 5]"
	if s := fmt.Sprint(differences); s != expected {
		t.Errorf("got %s, want %s", s, expected)
	}
	if err := differences.Err(); err == nil || err.Error() != "a missing: want 2, got 0 (and 2 more differences)" {
		t.Errorf("got error %v", err)
	}
	if differences := Diff(want, want, nil); differences.Err() != nil {
		t.Errorf("equal totals differ: %v", differences)
	}
	if differences := Diff(want, got, nil); len(differences) != 4 {
		t.Errorf("without tolerance, got %v, want 4 differences", differences)
	}
}

func TestMonotonic(t *testing.T) {
	at := func(value float64, created int64) map[string]Sample {
		s := Sample{Value: value}
		if created > 0 {
			s.Created = time.UnixMilli(created)
		}
		return map[string]Sample{"x": s}
	}
	for _, test := range []struct {
		name    string
		scrapes []map[string]Sample
		want    string // the beginning of the only error, of the last scrape
	}{
		{"grows", []map[string]Sample{at(1, 0), at(1, 0), at(2, 0)}, ""},
		{"falls", []map[string]Sample{at(5, 0), at(4, 0)}, "x fell: want at least 5, got 4"},
		{"vanishes", []map[string]Sample{at(5, 0), nil}, "x vanished: want at least 5"},
		{"vanishes at zero", []map[string]Sample{at(0, 0), nil}, "x vanished: want at least 0"},
		{"created once", []map[string]Sample{at(1, 7), at(1, 0), at(1, 7)}, ""},
		{"created again", []map[string]Sample{at(1, 7), at(1, 0), at(1, 8)}, "x was created again: want "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var m Monotonic
			var errs []error
			for i, scrape := range test.scrapes {
				errs = m.Update(scrape)
				if len(errs) > 0 && i < len(test.scrapes)-1 {
					t.Errorf("scrape %d: got %v", i, errs)
				}
			}
			if (len(errs) == 0) != (test.want == "") || len(errs) == 1 && !strings.HasPrefix(errs[0].Error(), test.want) {
				t.Errorf("got %v, want %s", errs, test.want)
			}
			if want := test.scrapes[len(test.scrapes)-1]; len(m.Last()) != len(want) {
				t.Errorf("got last %v, want %v", m.Last(), want)
			}
		})
	}
}
