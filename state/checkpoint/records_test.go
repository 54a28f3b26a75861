package checkpoint

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRecords(t *testing.T) {
	t.Run("endpoints", func(t *testing.T) { testRecord(t, (*Store).LoadEndpoints, (*Store).SaveEndpoints) })
	t.Run("limits", func(t *testing.T) { testRecord(t, (*Store).LoadLimits, (*Store).SaveLimits) })
}

func testRecord(t *testing.T, load func(*Store) ([]byte, error), save func(*Store, []byte) error) {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	if b, err := load(s); b != nil || err != nil {
		t.Errorf("new: got %q, %v", b, err)
	}
	for _, text := range []string{`{"one":1}`, "{}"} {
		if err := save(s, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := load(s); string(b) != text || err != nil {
			t.Errorf("got %q, %v, want %s", b, err, text)
		}
	}
	closeStore(t, s)
	s = open(t, dir)
	if b, err := load(s); string(b) != "{}" || err != nil {
		t.Errorf("opened again: got %q, %v", b, err)
	}
	// Another process may own the directory now.
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if err := save(s, []byte("lost")); err == nil {
		t.Error("wrote to a directory that is not locked")
	}
	if b, err := load(s); string(b) != "{}" || err != nil {
		t.Errorf("got %q, %v, want the previous record", b, err)
	}
}
