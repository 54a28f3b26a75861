package push

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/prototext"
)

// family parses a family from the text format of protobuf.
func family(t testing.TB, text string) *dto.MetricFamily {
	t.Helper()
	f := new(dto.MetricFamily)
	if err := prototext.Unmarshal([]byte(text), f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFlatten(t *testing.T) {
	const created = "created_timestamp { seconds: 1700000000 nanos: 123000000 }"
	for _, test := range []struct {
		name, text string
		external   map[string]string
		want       []string
	}{
		{"empty", `name: "a" type: COUNTER`, nil, nil},
		{"counter", `name: "a_total" type: COUNTER metric { label { name: "x" value: "1" } counter { value: 3 ` + created + ` } }`, nil, []string{"{__name__=a_total,x=1,} 3 1700000000123 cumulative"}},
		{"gauge", `name: "a" type: GAUGE metric { gauge { value: -1.5 } }`, nil, []string{"{__name__=a,} -1.5 0"}},
		{"untyped", `name: "a" type: UNTYPED metric { untyped { value: nan } }`, nil, []string{"{__name__=a,} NaN 0"}},
		{"empty labels", `name: "a" type: GAUGE metric { label { name: "x" value: "" } label { name: "y" value: "é" } gauge { value: 1 } }`, nil, []string{"{__name__=a,y=é,} 1 0"}},
		{
			"external labels", `name: "a" type: GAUGE metric { label { name: "user" value: "ann" } gauge { value: 1 } }`,
			map[string]string{"user": "bob", "job": "j", "A": "b", "instance": ""},
			[]string{"{A=b,__name__=a,job=j,user=ann,} 1 0"},
		},
		{"external label replaces an empty label", `name: "a" type: GAUGE metric { label { name: "user" value: "" } gauge { value: 1 } }`, map[string]string{"user": "bob"}, []string{"{__name__=a,user=bob,} 1 0"}},
		{
			"histogram", `name: "h" type: HISTOGRAM metric { histogram { sample_count: 4 sample_sum: 9.5 ` + created + `
			bucket { cumulative_count: 1 upper_bound: 0.25 } bucket { cumulative_count: 3 upper_bound: 10 } bucket { cumulative_count: 3 upper_bound: 1e21 } } }`, nil,
			[]string{
				"{__name__=h_bucket,le=0.25,} 1 1700000000123 cumulative", "{__name__=h_bucket,le=10.0,} 3 1700000000123 cumulative",
				"{__name__=h_bucket,le=1e+21,} 3 1700000000123 cumulative", "{__name__=h_bucket,le=+Inf,} 4 1700000000123 cumulative",
				"{__name__=h_sum,} 9.5 1700000000123 cumulative", "{__name__=h_count,} 4 1700000000123 cumulative",
			},
		},
		{
			"histogram with an infinite bucket", `name: "h" type: HISTOGRAM metric { histogram { sample_count: 4 bucket { cumulative_count: 4 upper_bound: inf } } }`, nil,
			[]string{"{__name__=h_bucket,le=+Inf,} 4 0 cumulative", "{__name__=h_sum,} 0 0 cumulative", "{__name__=h_count,} 4 0 cumulative"},
		},
		{
			"summary", `name: "s" type: SUMMARY metric { summary { sample_count: 2 sample_sum: 3 quantile { quantile: 0.5 value: 1 } quantile { quantile: 1 value: 2 } } }`, nil,
			[]string{"{__name__=s,quantile=0.5,} 1 0", "{__name__=s,quantile=1.0,} 2 0", "{__name__=s_sum,} 3 0 cumulative", "{__name__=s_count,} 2 0 cumulative"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			f := flattener{external: sortedLabels(test.external), add: func(l []byte, _ *dto.MetricFamily, p point) {
				text := "{"
				for name, value := range labels(l).all() {
					text += name + "=" + value + ","
				}
				text += fmt.Sprintf("} %v %d", p.value, p.created)
				if p.cumulative {
					text += " cumulative"
				}
				got = append(got, text)
			}}
			f.family(family(t, test.text))
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// FuzzRequest encodes labels and a value by both protocols and checks that independent
// decoders return the same.
func FuzzRequest(f *testing.F) {
	f.Add("x", "1", "y", "2", 3.5, int64(1), int64(0), "Help.")
	f.Add("y", "é", "x", "", math.Inf(1), int64(1_700_000_000_000), int64(-5), "")
	f.Add("x", "1", "x", "2", math.Float64frombits(0x7ff0000000000002), int64(math.MaxInt64), int64(math.MinInt64), "\x00")
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string, v float64, at, start int64, help string) {
		for _, text := range []*string{&name1, &value1, &name2, &value2, &help} {
			*text = string([]rune(*text)) // only valid UTF-8 is encoded
		}
		if name1 == "" || name2 == "" || at == 0 {
			t.Skip("invalid label name or timestamp")
		}
		var want []string
		l := labels(appendLabels(nil, []label{{name1, value1}, {name2, value2}}))
		for name, value := range l.all() {
			want = append(want, name, value)
		}
		s := &series{labels: l, help: help, kind: dto.MetricType_COUNTER, value: v, created: start, samples: []sample{{v, at}}}
		var got1, got2 []string
		check := func(got *[]string, start int64) func([]string, storedSample) error {
			return func(l []string, s storedSample) error {
				*got = l
				if math.Float64bits(s.value) != math.Float64bits(v) || s.at != at || s.start != start {
					t.Errorf("got %+v, want %v at %d since %d", s, v, at, start)
				}
				return nil
			}
		}
		if s.ended() || start >= at {
			start = 0
		}
		if err := decodeV1(encodeV1(nil, []*series{s}), check(&got1, 0)); err != nil {
			t.Error(err)
		}
		if err := decodeV2(encodeV2(nil, []*series{s}), check(&got2, start)); err != nil {
			t.Error(err)
		}
		for _, got := range [][]string{got1, got2} {
			if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// BenchmarkPush measures a push of 10,000 known series without the network.
func BenchmarkPush(b *testing.B) {
	f := &dto.MetricFamily{Name: new("claude_tokens_total"), Type: dto.MetricType_COUNTER.Enum(), Help: new("Tokens.")}
	for i := range 10_000 {
		f.Metric = append(f.Metric, &dto.Metric{
			Label: []*dto.LabelPair{
				{Name: new("agent"), Value: new("main")}, {Name: new("model"), Value: new("claude-opus-4-6")},
				{Name: new("project"), Value: new(fmt.Sprint("project-", i/5))}, {Name: new("type"), Value: new(fmt.Sprint("type-", i%5))},
			},
			Counter: &dto.Counter{Value: new(float64(i) * 1000)},
		})
	}
	for _, p := range protocols {
		b.Run(string(p), func(b *testing.B) {
			cache := newSeriesCache(map[string]string{"job": "ccwatchd", "instance": "laptop"})
			var to message
			b.ReportAllocs()
			for b.Loop() {
				cache.update([]*dto.MetricFamily{f}, true)
				n := 0
				now := time.Now().UnixMilli()
				for chunk := range slices.Chunk(cache.pending, maxSamples) {
					for _, s := range chunk {
						s.samples = append(s.samples[:0], sample{s.value, now})
					}
					to = encode(to[:0], p, chunk)
					n += len(to)
					cache.acknowledge(chunk)
				}
				b.SetBytes(int64(n))
			}
		})
	}
}
