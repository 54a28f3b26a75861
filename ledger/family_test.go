package ledger

import "testing"

func TestInUnit(t *testing.T) {
	for _, test := range []struct {
		v, perUnit uint64
		want       float64
	}{
		{7, 0, 7},
		{7, 1, 7},
		{31869, 1000, 31.869},
		{1_767_225_600_123, 1000, 1767225600.123},
		{3, 10, 0.3},
		{1 << 53, 1, 9007199254740992},
	} {
		f := Family{PerUnit: test.perUnit}
		if got := f.InUnit(test.v); got != test.want {
			t.Errorf("InUnit(%d), %d per unit: got %v, want %v", test.v, test.perUnit, got, test.want)
		}
	}
}
