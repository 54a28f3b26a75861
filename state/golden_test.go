package state

import (
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// writeFormat writes the state of a killed daemon, its exposition and the schema.
func writeFormat(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o750)); err != nil {
		t.Fatal(err)
	}
	s := newFold(ledgertest.Options(), goldenTime)
	saved, journal := goldenSteps()
	for _, one := range saved {
		one.apply(s)
	}
	s.started = true
	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	generation, err := store.Rotate()
	if err = errors.Join(err, store.Commit(generation, encodedState(s))); err != nil {
		t.Fatal(err)
	}
	for _, one := range journal {
		if err := store.Append(encodeStep(one, nil)); err != nil {
			t.Fatal(err)
		}
		one.apply(s)
	}
	err = errors.Join(store.Close(), os.Remove(filepath.Join(dir, "lock")), os.Remove(filepath.Join(dir, "pid")))
	for name, lines := range map[string][]string{"exposition.txt": exposed(s), "schema.txt": schema(t)} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// goldenTime is the time of every step in a format's state, in milliseconds.
const goldenTime = 1_790_000_000_000

// goldenSteps returns the steps of a daemon reading some files: those in the snapshot,
// and those in the journal, which include every kind of step.
func goldenSteps() (saved, journal []step) {
	of := transcripttest.Generate(1, transcripttest.Options{Copies: true, Size: 6})
	names := slices.Sorted(maps.Keys(of))
	read := func(i int, rest bool) step {
		lines := slices.Collect(strings.Lines(of[names[i]]))
		from, to := 0, len(lines)*2/3
		if rest {
			from, to = to, len(lines)
		}
		offset := len(strings.Join(lines[:to], ""))
		return &batchStep{batch: batchOf(ledger.FileID(i+1), lines[from:to]), fingerprint: tailer.Fingerprint{Offset: int64(offset)}, settle: rest}
	}
	for i, name := range names {
		file := ledger.File{
			ID: ledger.FileID(i + 1), Kind: transcript.KindOf(name), Name: transcript.KeyOf("name", path.Base(name)),
			Source: ledger.NewSourceLabels(map[string]string{"machine": strconv.Itoa(i % 2)}),
		}
		open := &openStep{file: file, path: transcript.KeyOf("path", name), identity: tailer.ID{Device: 1, Inode: uint64(i + 1)}, modified: goldenTime * 1e6}
		if i < len(names)-1 {
			saved = append(saved, open, read(i, false))
		} else {
			journal = append(journal, open, read(i, false))
		}
	}
	saved = append(saved, &settleStep{}, &releaseStep{1}, &configureStep{ledgertest.Options()})
	other := ledgertest.Options()
	other.Buckets = map[string][]float64{"claude_turn_duration_seconds": {1, 30, 60}}
	journal = append(journal, &configureStep{other}, &configureStep{ledgertest.Options()})
	for i := range names {
		journal = append(journal, read(i, true))
	}
	last := ledger.FileID(len(names))
	return saved, append(journal, &finalizeStep{1, goldenTime}, &finalizeStep{2, goldenTime}, &resetStep{3, ledger.Truncated, goldenTime},
		&missingStep{last, goldenTime}, &forgetStep{[]ledger.FileID{last}, goldenTime}, &settleStep{}, &releaseStep{2},
		&endSessionsStep{goldenTime})
}

// batchOf returns the batch of some lines.
func batchOf(id ledger.FileID, lines []string) ledger.Batch {
	var p transcript.Buffer
	parser := transcript.NewParser()
	b := ledger.Batch{File: id, Now: goldenTime}
	for _, line := range lines {
		b.Bytes += uint64(len(line))
		parser.Parse([]byte(strings.TrimSuffix(line, "\n")), false, &p)
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		e.AssignKeys(func() transcript.Key {
			return transcript.KeyOf("place", string(binary.AppendUvarint(nil, uint64(id))), strconv.Itoa(i))
		})
		if e.HasProject = e.CWD != ""; e.HasProject {
			e.Project = path.Base(e.CWD)
		}
		if e.Prompt != nil && e.Prompt.IsCommand() {
			e.Command = "custom"
			if e.Prompt.Name == "clear" {
				e.Command = e.Prompt.Name
			}
		}
	}
	b.Entries, b.Problems = p.Entries, p.Problems
	return b
}

// The journal of a format contains every kind of step.
func TestGoldenSteps(t *testing.T) {
	seen := make(map[stepKind]bool)
	_, journal := goldenSteps()
	for _, one := range journal {
		seen[one.kind()] = true
	}
	for _, k := range kinds(t) {
		if !seen[k] {
			t.Errorf("no step of kind %d is in the journal", k)
		}
	}
}
