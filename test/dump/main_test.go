package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// While another process uses the directory, dump prints the snapshot and the frames up
// to a damaged one, and changes nothing.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // only read
	now := time.UnixMilli(1_790_000_000_000)
	s := state.New(ledgertest.Options(), func() time.Time { return now })
	read := func(id ledger.FileID) {
		s.Change(func(l *ledger.Ledger, _ int64) {
			ledgertest.Add(l, id, map[string]string{"user": "ada"}, transcripttest.Replies("s", int(id)), now)
		})
	}
	read(1)
	generation, snapshot, err := s.Encode(store.Rotate)
	if err != nil || store.Commit(generation, snapshot) != nil {
		t.Fatal(err)
	}
	s.SetJournal(store)
	read(2)
	read(3)
	journal := filepath.Join(dir, "journal-1")
	b, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(journal, b, 0o600); err != nil {
		t.Fatal(err)
	}

	before := transcripttest.ReadTree(t, dir)
	var out bytes.Buffer
	if err := run([]string{dir}, &out); err != nil {
		t.Fatal(err)
	}
	rest := out.String()
	for _, want := range []string{
		"state: format 3, generation 1\n", "  snapshot: ",
		"    table 1 ledger.CountersField: ", "    table 10 ledger.tableFileAttrs: ", `2="user\x01ada\x02"`, "    table 17 ledger.tableFiles: ", "      1: 1=",
		"\njournal-1: format 3, generation 1\n", "  frame 1: ", "    table 17 ledger.tableFiles: ", "      2: 1=",
		" bytes are not read: journal is damaged\n",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q in the rest of\n%s", want, out.String())
		}
		rest = after
	}
	if rest != "" {
		t.Errorf("got %q at the end", rest)
	}
	if !maps.Equal(transcripttest.ReadTree(t, dir), before) {
		t.Error("dump changed the state")
	}
	if run([]string{filepath.Join(dir, "missing")}, &out) == nil || run(nil, &out) == nil {
		t.Error("a directory that does not exist is no error")
	}
}
