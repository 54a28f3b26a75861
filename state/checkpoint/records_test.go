package checkpoint

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRecords(t *testing.T) {
	for _, r := range []Record{Endpoints, Limits} {
		t.Run(string(r), func(t *testing.T) { testRecord(t, r) })
	}
}

func testRecord(t *testing.T, r Record) {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	if b, err := s.LoadRecord(r); b != nil || err != nil {
		t.Errorf("new: got %q, %v", b, err)
	}
	for _, text := range []string{`{"one":1}`, "{}"} {
		if err := s.SaveRecord(r, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := s.LoadRecord(r); string(b) != text || err != nil {
			t.Errorf("got %q, %v, want %s", b, err, text)
		}
	}
	closeStore(t, s)
	s = open(t, dir)
	if b, err := s.LoadRecord(r); string(b) != "{}" || err != nil {
		t.Errorf("opened again: got %q, %v", b, err)
	}
	// Another process may own the directory now.
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveRecord(r, []byte("lost")); err == nil {
		t.Error("wrote to a directory that is not locked")
	}
	if b, err := s.LoadRecord(r); string(b) != "{}" || err != nil {
		t.Errorf("got %q, %v, want the previous record", b, err)
	}
}
