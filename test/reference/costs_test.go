package reference

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func TestCompareCosts(t *testing.T) {
	const cost = "# TYPE claude_cost_usd_total counter\n"
	const sessions = "# TYPE claude_sessions_total counter\nclaude_sessions_total 1\n"
	for _, test := range []struct {
		name, expected, exposition string
		want                       []string
	}{
		{
			name:       "costs are not compared with totals without any",
			expected:   "sessions\t\t1\n",
			exposition: sessions + cost + "claude_cost_usd_total{component=\"input\",model=\"opus\"} 3\n",
		},
		{
			name:       "costs are compared even if zero is expected",
			expected:   "sessions\t\t1\nunpriced_tokens\tmodel=unknown\t0\n",
			exposition: sessions + cost + "claude_cost_usd_total{component=\"input\",model=\"opus\"} 3\n",
			want:       []string{"cost{component=input,model=opus} extra: want 0, got 3000000000"},
		},
		{
			name:       "missing cost families",
			expected:   "sessions\t\t1\ncost\tcomponent=input,model=opus\t1\ncache_savings\tmodel=opus\t2\nunpriced_tokens\tmodel=x\t3\n",
			exposition: sessions,
			want: []string{
				"cache_savings{model=opus} missing: want 2, got 0",
				"cost{component=input,model=opus} missing: want 1, got 0",
				"unpriced_tokens{model=x} missing: want 3, got 0",
			},
		},
		{
			name:       "a nano-dollar too few, of two million dollars",
			expected:   "cost\tcomponent=output,model=opus\t2251799813685247\n",
			exposition: cost + "claude_cost_usd_total{component=\"output\",model=\"opus\"} 2.251799813685246e+06\n",
			want:       []string{"cost{component=output,model=opus} differs: want 2251799813685247, got 2251799813685246"},
		},
		{
			name:       "dollars of several series are added as nano-dollars",
			expected:   "cost\tcomponent=output,model=opus\t2251799813685248\n",
			exposition: cost + "claude_cost_usd_total{component=\"output\",model=\"opus\",agent=\"main\"} 2.251799813685247e+06\nclaude_cost_usd_total{component=\"output\",model=\"opus\"} 1e-09\n",
		},
		{
			name:       "as exact as a float64 above",
			expected:   "cost\tcomponent=output,model=opus\t123456789123456789\ncost\tcomponent=input,model=opus\t123456789123456789\n",
			exposition: cost + "claude_cost_usd_total{component=\"output\",model=\"opus\"} 1.2345678912345679e+08\nclaude_cost_usd_total{component=\"input\",model=\"opus\"} 1.234567891234577e+08\n",
			want:       []string{"cost{component=input,model=opus} differs: want 123456789123456789, got 123456789123457696"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range compare(t, test.expected, test.exposition, Options{}) {
				got = append(got, d.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Dollars in the text format are exact to the nano-dollar, within their imprecision.
func TestAmountsSurviveTheExposition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		n := int64(random.Uint64() >> (2 + random.UintN(60)))
		if i < 64 {
			n = 1<<51 - 1 - int64(i)
		}
		dollars, err := strconv.ParseFloat(strconv.FormatFloat(float64(n)/1e9, 'g', -1, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := billionths.count(dollars)
		if err != nil || max(got-n, n-got) > imprecision(n) {
			t.Errorf("%d: got %d, error %v, want within %d", n, got, err, imprecision(n))
		}
	}
}
