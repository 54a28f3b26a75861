package state

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
)

// formats contains a directory for each format of the state: the files left by a killed
// daemon, its exposition, and the schema of the format. The directories of released
// versions never change. "go test ./state -run Formats -update" writes that of this
// one.
const formats = "../state/checkpoint/testdata/formats"

var update = flag.Bool("update", false, "write the state of this format")

func currentFormat() string { return filepath.Join(formats, strconv.Itoa(int(checkpoint.Version))) }

// The state of every earlier format is restored with its exposition.
func TestFormats(t *testing.T) {
	if *update {
		writeFormat(t, currentFormat())
	}
	all, err := os.ReadDir(formats)
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, format := range all {
		t.Run(format.Name(), func(t *testing.T) {
			dir := filepath.Join(formats, format.Name())
			s := restored(t, dir)
			want := readLines(t, filepath.Join(dir, "exposition.txt"))
			schema := readLines(t, filepath.Join(dir, "schema.txt"))
			got := exposed(s)
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("missing from the exposition: %s", line)
				}
			}
			for _, line := range got {
				if !slices.Contains(want, line) && !strings.Contains(line, " 0 created ") && hasFamily(schema, line) {
					t.Errorf("unexpected in the exposition: %s", line)
				}
			}
		})
	}
}

// hasFamily reports whether the schema of a format has the family of a series.
// Replaying an old journal also counts what its version did not.
func hasFamily(schema []string, series string) bool {
	family, _, _ := strings.Cut(series, " ")
	return slices.ContainsFunc(schema, func(line string) bool {
		return strings.HasPrefix(line, "family "+family+" ")
	})
}

// A state of a version before the cost was counted has no cost. Reading its transcripts
// again adds the cost, once, and changes nothing else that was counted.
func TestFormatBeforeCost(t *testing.T) {
	dir := filepath.Join(formats, "7")
	s := restored(t, dir)
	counted := func() (costs, others []string) {
		for _, line := range exposed(s) {
			switch {
			case strings.Contains(line, "_usd_total ") || strings.HasPrefix(line, "claude_unpriced_"):
				costs = append(costs, line)
			case strings.HasPrefix(line, "claude_"):
				others = append(others, line)
			}
		}
		return costs, others
	}
	costs, want := counted()
	if len(costs) > 0 {
		t.Fatalf("got costs of a version that counts none: %q", costs)
	}
	for range 2 {
		readJournalAgain(t, s, dir)
		again, others := counted()
		if len(again) < 10 || len(costs) > 0 && !slices.Equal(again, costs) {
			t.Errorf("got %d costs, then %d others", len(costs), len(again))
		}
		costs = again
		for _, line := range others {
			if !slices.Contains(want, line) {
				t.Errorf("counted again: %s", line)
			}
		}
	}
}

// What a version without a history counted is undated, and stays so.
func TestFormatBeforeHistory(t *testing.T) {
	dir := filepath.Join(formats, "7")
	s := restored(t, dir)
	recorded := func() (values, increases uint64) {
		for _, f := range s.ledger.History().Families {
			for i := range f.Series {
				values += f.Series[i].Value
				for _, in := range f.Series[i].Increases() {
					increases += in.Value
				}
			}
		}
		return values, increases
	}
	undated, increases := recorded()
	if undated == 0 || increases > 0 {
		t.Fatalf("got %d, of which %d are dated, want none", undated, increases)
	}
	readJournalAgain(t, s, dir)
	values, increases := recorded()
	if increases == 0 || values-increases != undated {
		t.Errorf("got %d, of which %d are dated, want %d undated", values, increases, undated)
	}
}

// readJournalAgain adds the batches in the journal of a format once more.
func readJournalAgain(t *testing.T, s *fold, dir string) {
	t.Helper()
	store := openCopy(t, dir)
	_, err := store.Load(func([]byte) error { return nil }, func(b []byte) error {
		next, err := decodeStep(b)
		if batch, ok := next.(*batchStep); ok {
			s.ledger.Reset(batch.batch.File, ledger.Requested, goldenTime)
			batch.apply(s)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// openCopy opens a copy of a state directory.
func openCopy(t *testing.T, dir string) *checkpoint.Store {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	store, err := checkpoint.Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// restored returns the state restored from a copy of a directory.
func restored(t *testing.T, dir string) *fold {
	t.Helper()
	store := openCopy(t, dir)
	s := New(ledgertest.Options(), time.Now)
	report, err := store.Load(func(b []byte) error { return s.LoadSnapshot(b, ledgertest.Options()) }, s.Replay)
	if err != nil || len(report.Damage) > 0 {
		t.Fatalf("Load = %+v, %v", report, err)
	}
	s.Restored(report.Snapshot, report.Journals, ledgertest.Options())
	return s.fold
}

// The schema changes only with the format, and by the rules: a field number never
// changes its type, and a kind of step never changes its name.
func TestFormatsSchema(t *testing.T) {
	now := schema(t)
	if want := readLines(t, filepath.Join(currentFormat(), "schema.txt")); !slices.Equal(now, want) {
		t.Errorf("the schema of format %d changed. If it was released, raise checkpoint.Version. Then run go test ./state -run Formats -update", checkpoint.Version)
		for _, line := range now {
			if !slices.Contains(want, line) {
				t.Errorf("added: %s", line)
			}
		}
		for _, line := range want {
			if !slices.Contains(now, line) {
				t.Errorf("removed: %s", line)
			}
		}
	}
	all, err := filepath.Glob(filepath.Join(formats, "*", "schema.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		types := make(map[string]string)
		for _, line := range readLines(t, name) {
			name, typ, _ := strings.Cut(line, " is ")
			types[name] = typ
		}
		for _, line := range now {
			element, typ, fixed := strings.Cut(line, " is ")
			if before, ok := types[element]; fixed && ok && before != typ {
				t.Errorf("%s was %s in %s and is %s now", element, before, name, typ)
			}
		}
	}
}

// schema describes the format of this version, one line for each element. The text
// after " is " must never change for an element.
func schema(t testing.TB) (lines []string) {
	t.Helper()
	messages := described(t, "State").ParentFile().Messages()
	for i := range messages.Len() {
		fields := messages.Get(i).Fields()
		for j := range fields.Len() {
			f := fields.Get(j)
			is := fmt.Sprint(f.Cardinality(), " ", f.Kind())
			if f.Message() != nil {
				is += " " + string(f.Message().Name())
			}
			lines = append(lines, fmt.Sprintf("field %d of %s is %s", f.Number(), messages.Get(i).Name(), is))
		}
	}
	for _, k := range kinds(t) {
		name := described(t, "Step").Fields().ByNumber(codec.Number(k)).Name()
		lines = append(lines, fmt.Sprintf("step %d is %s, ignorable %v", k, name, stepKinds[k].ignorable))
	}
	state := parse(t, described(t, "State"), encodedState(newFold(ledgertest.Options(), 1)))
	l := state.Get(state.Descriptor().Fields().ByName("ledger")).Message()
	for list, named := range map[string]string{"families": "family", "keys": "keys", "labels": "label"} {
		all := l.Get(l.Descriptor().Fields().ByTextName(list)).List()
		for i := range all.Len() {
			m := all.Get(i).Message()
			fields := m.Descriptor().Fields()
			line := fmt.Sprintf("%s %s", named, m.Get(fields.ByNumber(1)))
			if list == "families" {
				typ := m.Get(fields.ByName("type"))
				line += fmt.Sprintf(" is of type %v", typ)
				labels := m.Get(fields.ByName("labels")).List()
				for j := range labels.Len() {
					lines = append(lines, fmt.Sprintf("%s %s has label %s", named, m.Get(fields.ByNumber(1)), labels.Get(j)))
				}
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// exposed returns a line for each exposed series of a state, without empty labels.
func exposed(s *fold) (lines []string) {
	s.ledger.Release(s.ledger.Pending())
	var snap ledger.Snapshot
	s.ledger.SnapshotInto(&snap, 1)
	for _, f := range snap.Families {
		for i := range f.Samples {
			sample := &f.Samples[i]
			labels := sample.Source.Labels()
			for j, name := range f.Family.Labels {
				if sample.Labels[j] != "" {
					labels[name] = sample.Labels[j]
				}
			}
			line := f.Family.Name
			for _, name := range slices.Sorted(maps.Keys(labels)) {
				line += fmt.Sprintf(" %s=%q", name, labels[name])
			}
			line += fmt.Sprint(" ", sample.Value)
			if f.Family.Type == ledger.Histogram {
				line += fmt.Sprint(" sum ", sample.Sum, " counts ", sample.Counts)
			}
			if count, ok := sample.Native.Count(); sample.Native != nil && (!ok || count != sample.Value) {
				line += fmt.Sprint(" but native count ", count)
			}
			lines = append(lines, fmt.Sprint(line, " created ", sample.Created))
		}
	}
	slices.Sort(lines)
	return lines
}

func readLines(t testing.TB, name string) (lines []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return lines
}
