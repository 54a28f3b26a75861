package status

import "testing"

func TestPercent(t *testing.T) {
	for p, want := range map[Progress]int{
		{}: 0, {Bytes: 1, BytesTotal: 3}: 33, {Bytes: 999, BytesTotal: 1000}: 99, {Bytes: 3, BytesTotal: 3}: 100,
		{Bytes: 9, BytesTotal: 3}: 100, {Bytes: -1, BytesTotal: 3}: 0, {Bytes: 1 << 62, BytesTotal: 1<<63 - 1}: 50,
	} {
		if got := p.Percent(); got != want {
			t.Errorf("%+v: got %d, want %d", p, got, want)
		}
	}
}
