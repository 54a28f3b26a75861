package ledger

import "testing"

func TestInUnit(t *testing.T) {
	for _, test := range []struct {
		v     uint64
		scale float64
		want  float64
	}{
		{7, 0, 7},
		{7, 1, 7},
		{31869, 0.001, 31.869},
		{1_767_225_600_123, 0.001, 1767225600.123},
		{3, 0.1, 0.3},
		{5, 60, 300},
		{1 << 53, 1, 9007199254740992},
	} {
		f := Family{Scale: test.scale}
		if got := f.InUnit(test.v); got != test.want {
			t.Errorf("InUnit(%d), scale %v: got %v, want %v", test.v, test.scale, got, test.want)
		}
	}
}
