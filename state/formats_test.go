package state

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// formats has a directory for each format of the state: what a daemon that was killed has
// left, what it showed, and what the format consists of. Those of released versions never
// change. "go test ./state -run Formats -update" writes the one of this version.
const formats = "../checkpoint/testdata/formats"

var update = flag.Bool("update", false, "write the state of this format")

func current() string { return filepath.Join(formats, strconv.Itoa(int(checkpoint.Version))) }

// The state of every format there was is read, and shows what it showed.
func TestFormats(t *testing.T) {
	if *update {
		writeFormat(t, current())
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
			got := exposed(s)
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("it does not show %s", line)
				}
			}
			for _, line := range got {
				if !slices.Contains(want, line) && !strings.Contains(line, " 0 created ") {
					t.Errorf("it shows %s", line)
				}
			}
		})
	}
}

// restored returns the state in a copy of a directory.
func restored(t *testing.T, dir string) *fold {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	store, err := checkpoint.Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	s := New(ledgerOptions(), time.Now)
	report, err := store.Load(func(b []byte) error { return s.LoadSnapshot(b, ledgerOptions()) }, s.Replay)
	if err != nil || len(report.Damage) > 0 {
		t.Fatalf("Load = %+v, %v", report, err)
	}
	s.Restored(report.Snapshot, report.Journals, ledgerOptions())
	return s.fold
}

// What is written must not change but with the format, and then by the rules: a number
// that is used again has the same type, and a kind of step the same name.
func TestFormatsSchema(t *testing.T) {
	now := schema(t)
	if want := readLines(t, filepath.Join(current(), "schema.txt")); !slices.Equal(now, want) {
		t.Errorf("format %d is not what it was. If a release has it, raise checkpoint.Version. Then run go test ./state -run Formats -update", checkpoint.Version)
		for _, line := range now {
			if !slices.Contains(want, line) {
				t.Errorf("new: %s", line)
			}
		}
		for _, line := range want {
			if !slices.Contains(now, line) {
				t.Errorf("gone: %s", line)
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
			what, is, _ := strings.Cut(line, " is ")
			types[what] = is
		}
		for _, line := range now {
			what, is, fixed := strings.Cut(line, " is ")
			if before, ok := types[what]; fixed && ok && before != is {
				t.Errorf("%s was %s in %s, and is %s", what, before, name, is)
			}
		}
	}
}

// schema describes what this version writes, a line each. What is before " is " must
// never be anything else.
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
		name := reflect.TypeOf(newStep(k)).Elem().Name()
		lines = append(lines, fmt.Sprintf("step %d is %s, ignorable %v", k, name, stepKinds[k].ignorable))
	}
	state := parse(t, described(t, "State"), encodedState(newFold(ledgerOptions(), 1)))
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

// exposed is what a state shows, a line for each series, labels that are empty left out.
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
