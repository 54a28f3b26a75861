package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/internal/reference"
	"github.com/ccwatchd/ccwatchd/metrics"
)

const fixtures = "../testdata/fixtures"

// fixture returns the directory of every fixture, by name.
func fixtureDirs(t testing.TB) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	dirs := make(map[string]string)
	for _, e := range entries {
		dir, err := filepath.Abs(filepath.Join(fixtures, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		dirs[e.Name()] = dir
	}
	if len(dirs) < 12 {
		t.Fatalf("there are only %d fixtures", len(dirs))
	}
	return dirs
}

// differences compares what is shown of a source with the totals in files of
// the reference.
func differences(t testing.TB, from metrics.Provider, expected ...string) []reference.Difference {
	t.Helper()
	shown := metrics.Exposition{Provider: from, Registry: prometheus.NewRegistry()}
	var text bytes.Buffer
	if err := shown.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	got, err := reference.Shown(&text)
	if err != nil {
		t.Fatal(err)
	}
	want := make(reference.Totals)
	for _, name := range expected {
		b, err := os.ReadFile(filepath.Join(name, "expected.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		one, err := reference.Expected(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if one.NonZero() == 0 {
			t.Fatalf("%s expects nothing", name)
		}
		for key, v := range one {
			want[key] += v
		}
	}
	return reference.Diff(want, got, reference.Options{})
}

// readOnce reads directories, and fails where something could not be read.
func readOnce(t testing.TB, dirs ...string) *Reading {
	t.Helper()
	s := settingsFor(dirs...)
	s.MaxLine = 64 << 20
	r, err := Once(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed != 0 {
		t.Fatalf("%d could not be read", r.Failed)
	}
	return r
}

func TestOnceIsTheReference(t *testing.T) {
	for name, dir := range fixtureDirs(t) {
		t.Run(name, func(t *testing.T) {
			for _, d := range differences(t, readOnce(t, dir), dir) {
				t.Error(d)
			}
		})
	}
}

// A source may hold several trees: these are the fixtures with ids and times
// that no two have in common, so that their totals can be added up.
func TestOnceReadsAllBelow(t *testing.T) {
	parent := t.TempDir()
	var dirs []string
	for i, name := range slices.Sorted(maps.Keys(fixtureDirs(t))) {
		dir := filepath.Join(parent, "a", strconv.Itoa(i))
		copyDir(t, filepath.Join(fixtures, name), dir)
		rewriteFiles(t, dir, strings.NewReplacer(
			`"aaaaaaaa-`, fmt.Sprintf(`"%08d-`, i), `"2026-03-01T`, fmt.Sprintf(`"2026-03-%02dT`, i+2),
			`"msg_`, fmt.Sprintf(`"msg_%d_`, i), `"toolu_`, fmt.Sprintf(`"toolu_%d_`, i),
		))
		dirs = append(dirs, dir)
	}
	for _, d := range differences(t, readOnce(t, parent), dirs...) {
		t.Error(d)
	}
}

// rewriteFiles replaces something in all transcripts of a directory.
func rewriteFiles(t *testing.T, dir string, with *strings.Replacer) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".jsonl") {
			return err
		}
		b, err := os.ReadFile(p)
		return errors.Join(err, os.WriteFile(p, []byte(with.Replace(string(b))), 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever ways lead to a file, it is read once.
func TestOnceReadsAFileOnce(t *testing.T) {
	dir := fixtureDirs(t)["05-subagents"]
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for name, sources := range map[string][]string{
		"a link":                    {link},
		"a link and where it leads": {link, dir},
		"where it leads and a link": {dir, link},
		"the same twice":            {dir, dir},
		"one in the other":          {dir, filepath.Join(dir, "projects")},
		"one that is not there":     {dir, filepath.Join(t.TempDir(), "none")},
	} {
		t.Run(name, func(t *testing.T) {
			r := readOnce(t, sources...)
			if r.Files != 5 {
				t.Errorf("Files = %d, want 5", r.Files)
			}
			for _, d := range differences(t, r, dir) {
				t.Error(d)
			}
		})
	}
}

// What two trees have in common counts once, in whatever order they are read.
func TestOnceOverSeveralTrees(t *testing.T) {
	a, b := generate(1, options{Copies: true}), generate(2, options{Copies: true})
	one, two := t.TempDir(), t.TempDir()
	a.Write(t, one)
	a.Write(t, two)
	b.Write(t, filepath.Join(two, "more"))
	apart, _ := snapshot(readOnce(t, two))
	both, _ := snapshot(readOnce(t, one, two))
	drop := append([]string{"ccwatchd_read_bytes_total", "ccwatchd_lines_total", "ccwatchd_line_errors_total", "ccwatchd_unknown_format_total", "claude_subagents_total"}, unordered...)
	if d := totalsOf(&both, drop...).diff(totalsOf(&apart, drop...)); d != "" {
		t.Error(d)
	}
}

func TestOnceTellsWhatItCouldNotRead(t *testing.T) {
	dir := t.TempDir()
	(&talk{ID: "s", CWD: "/p"}).Prompt("hello").Write(t, dir, "p/s.jsonl")
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	r, err := Once(t.Context(), settingsFor(loop, dir), slog.New(slog.DiscardHandler))
	if err != nil || r.Failed != 1 || r.Files != 1 {
		t.Errorf("Failed = %d, Files = %d, %v; want 1, 1", r.Failed, r.Files, err)
	}
}

func TestOnceEnds(t *testing.T) {
	dir := t.TempDir()
	(&talk{ID: "s", CWD: "/p"}).Prompt("hello").Write(t, dir, "p/s.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Once(ctx, settingsFor(dir), slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}
