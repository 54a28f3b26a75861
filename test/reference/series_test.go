package reference

import (
	"slices"
	"testing"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

// DiffSeries finds every missing, additional and different series of some families.
func TestDiffSeries(t *testing.T) {
	totals := make(naive.Totals)
	totals.Add(2, "a_total", "kind", "x", "none", "")
	totals.Add(1, "a_total", "kind", "y")
	totals.Add(3, "a_usd_total", "kind", "x")
	totals.Add(1<<51-2, "a_usd_total", "kind", "y")
	totals.Observe(0.5, "b_seconds")
	totals.Observe(3, "b_seconds")
	const counters = "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"y\"} 1\n"
	const dollars = "# TYPE a_usd_total counter\na_usd_total{kind=\"x\"} 3e-09\na_usd_total{kind=\"y\"} 2.251799813685246e+06\n"
	const histogram = "# TYPE b_seconds histogram\nb_seconds_bucket{le=\"1\"} 1\nb_seconds_bucket{le=\"+Inf\"} 2\nb_seconds_sum 3.5\nb_seconds_count 2\n"
	for _, tt := range []struct {
		name, exposition string
		without          []model.LabelName
		want             []string
	}{
		{"equal", counters + "a_total{kind=\"z\"} 0\n" + dollars + histogram, nil, nil},
		{"other families", counters + dollars + histogram + "# TYPE c_total counter\nc_total 1\n", nil, nil},
		{"missing and additional", "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"z\"} 1\n" + dollars + histogram, nil, []string{
			`a_total{kind="y"} missing: want 1, got 0`, `a_total{kind="z"} extra: want 0, got 1`,
		}},
		{"no histogram", counters + dollars, nil, []string{`b_seconds_count missing: want 2, got 0`}},
		{"buckets", counters + dollars + "# TYPE b_seconds histogram\nb_seconds_bucket{le=\"1\"} 2\nb_seconds_bucket{le=\"+Inf\"} 2\nb_seconds_sum 3.25\nb_seconds_count 2\n", nil, []string{
			`b_seconds_bucket{le="1"} differs: want 1, got 2`, `b_seconds_sum differs: want 3.5, got 3.25`,
		}},
		{"a nano-dollar too few, of two million dollars", counters + "# TYPE a_usd_total counter\na_usd_total{kind=\"x\"} 2e-09\na_usd_total{kind=\"y\"} 2.251799813685245e+06\n" + histogram, nil, []string{
			`a_usd_total{kind="x"} differs: want 3, got 2`, `a_usd_total{kind="y"} differs: want 2.251799813685246e+15, got 2.251799813685245e+15`,
		}},
		{"sums", "# TYPE a_total counter\na_total{kind=\"z\"} 3\n" + dollars + histogram, []model.LabelName{"kind"}, nil},
		{"other sums", "# TYPE a_total counter\na_total{kind=\"z\"} 4\n" + dollars + histogram, []model.LabelName{"kind"}, []string{`a_total differs: want 3, got 4`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := exposition.ParseText(tt.exposition)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, d := range DiffSeries(totals, got, []string{"a_total", "a_usd_total", "b_seconds"}, tt.without...) {
				texts = append(texts, d.String())
			}
			if !slices.Equal(texts, tt.want) {
				t.Errorf("got %q, want %q", texts, tt.want)
			}
		})
	}
}
