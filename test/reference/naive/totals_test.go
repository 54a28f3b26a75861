package naive

import (
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// Diff finds every missing, additional and different series of the rules' families.
func TestDiff(t *testing.T) {
	totals := NewTotals()
	totals.Add(2, "a_total", "kind", "x", "none", "")
	totals.Add(1, "a_total", "kind", "y")
	totals.Observe(0.5, "b_seconds")
	totals.Observe(3, "b_seconds")
	rules := []Rule{{Families: []string{"a_total", "b_seconds"}}}
	const histogram = `# TYPE b_seconds histogram
b_seconds_bucket{le="1"} 1
b_seconds_bucket{le="+Inf"} 2
b_seconds_sum 3.5
b_seconds_count 2
`
	for _, tt := range []struct {
		name, exposition string
		want             []string
	}{
		{"equal", "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"y\"} 1\na_total{kind=\"z\"} 0\n" + histogram, nil},
		{"other families", "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"y\"} 1\n# TYPE c_total counter\nc_total 1\n" + histogram, nil},
		{"missing and additional", "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"z\"} 1\n" + histogram, []string{
			`a_total{kind="y"}: want 1, got 0`, `a_total{kind="z"}: want 0, got 1`,
		}},
		{"no histogram", "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"y\"} 1\n", []string{`b_seconds_count: want 2, got 0`}},
		{"buckets", "# TYPE a_total counter\na_total{kind=\"x\"} 2\na_total{kind=\"y\"} 1\n# TYPE b_seconds histogram\nb_seconds_bucket{le=\"1\"} 2\nb_seconds_bucket{le=\"+Inf\"} 2\nb_seconds_sum 3.25\nb_seconds_count 2\n", []string{
			`b_seconds_bucket{le="1"}: want 1, got 2`, `b_seconds_sum: want 3.5, got 3.25`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := exposition.ParseText(tt.exposition)
			if err != nil {
				t.Fatal(err)
			}
			if d := totals.Diff(rules, got); !slices.Equal(d, tt.want) {
				t.Errorf("got %q, want %q", d, tt.want)
			}
		})
	}
}
