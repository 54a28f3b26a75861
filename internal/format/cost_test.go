package format

import "testing"

func TestCost(t *testing.T) {
	for cost, want := range map[Cost]string{
		{}:                           "$0.00", // for free
		{USD: 1.5}:                   "$1.50",
		{Unpriced: true}:             "none",
		{USD: 1.5, Unpriced: true}:   "$1.50+",
		{USD: 0.001, Unpriced: true}: "<$0.01+",
	} {
		if got := cost.Text(USD, "none"); got != want {
			t.Errorf("%+v: got %s, want %s", cost, got, want)
		}
	}
}
