package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const fixtures = "../testdata/fixtures"

// fixtureDirs returns the directory of every fixture, by name.
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
		t.Fatalf("got only %d fixtures", len(dirs))
	}
	return dirs
}

// checkReference compares the exposition of a provider with the sum of the reference
// totals of directories.
func checkReference(t testing.TB, from metrics.Provider, dirs ...string) {
	t.Helper()
	e := metrics.Exposition{Provider: from, Registry: prometheus.NewRegistry()}
	var text bytes.Buffer
	if err := e.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	got, err := reference.ParseExposition(&text)
	if err != nil {
		t.Fatal(err)
	}
	want := make(reference.Totals)
	for _, dir := range dirs {
		b, readErr := os.ReadFile(filepath.Join(dir, "expected.tsv"))
		fixture, err := reference.ParseTSV(bytes.NewReader(b))
		if err := errors.Join(readErr, err); err != nil {
			t.Fatal(err)
		}
		if fixture.NonZero() == 0 {
			t.Fatalf("the reference totals of %s are empty", dir)
		}
		want.Add(fixture)
	}
	for _, d := range reference.Diff(want, got, reference.Options{}) {
		t.Error(d)
	}
}

// readOnce reads directories once, without failures.
func readOnce(t testing.TB, dirs ...string) *Reading {
	t.Helper()
	s := settingsFor(dirs...)
	s.MaxLine = 64 << 20
	r, err := Once(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed != 0 {
		t.Fatalf("got %d failures", r.Failed)
	}
	return r
}

func TestOnceEqualsReference(t *testing.T) {
	for name, dir := range fixtureDirs(t) {
		t.Run(name, func(t *testing.T) { checkReference(t, readOnce(t, dir), dir) })
	}
}

// A file is read once, even if several sources or links lead to it.
func TestOnceReadsFilesOnce(t *testing.T) {
	dir := fixtureDirs(t)["05-subagents"]
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for name, sources := range map[string][]string{
		"link":               {link},
		"link and target":    {link, dir},
		"target and link":    {dir, link},
		"twice":              {dir, dir},
		"one in the other":   {dir, filepath.Join(dir, "projects")},
		"one does not exist": {dir, filepath.Join(t.TempDir(), "none")},
	} {
		t.Run(name, func(t *testing.T) {
			r := readOnce(t, sources...)
			checkEqual(t, "files", r.Files, 5)
			checkReference(t, r, dir)
		})
	}
}

// Content common to two sources counts once, in either order of the sources.
func TestOnceWithSeveralSources(t *testing.T) {
	generate := func(seed uint64) tree { return transcripttest.Generate(seed, transcripttest.Options{Copies: true}) }
	one, two := t.TempDir(), t.TempDir()
	generate(1).Write(t, one)
	generate(1).Write(t, two)
	generate(2).Write(t, filepath.Join(two, "more"))
	drop := append([]string{
		readBytes, "ccwatchd_lines_total", "ccwatchd_line_errors_total", "ccwatchd_unknown_format_total",
	}, orderDependent...)
	want, _ := snapshot(readOnce(t, two))
	got, _ := snapshot(readOnce(t, one, two))
	if d := totalsOf(&got, drop...).diff(totalsOf(&want, drop...)); d != "" {
		t.Error(d)
	}
}

// An unreadable source is counted and logged, and its path is logged at debug level.
func TestOnceReportsUnreadableSources(t *testing.T) {
	h := newHarness(t)
	h.Write(fileA, replies("a", 1))
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	var log bytes.Buffer
	r, err := Once(t.Context(), settingsFor(loop, h.Root), slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil || r.Failed != 1 || r.Files != 1 {
		t.Errorf("got %d failures, %d files, %v; want 1, 1", r.Failed, r.Files, err)
	}
	const mention = `level=DEBUG msg="Unreadable directory" path=`
	if got := log.String(); !strings.Contains(got, `level=WARN msg="Failed to read a directory" err=`) ||
		!strings.Contains(got, mention) || strings.Count(got, loop) != 1 {
		t.Errorf("got a log without %q, or with other mentions of the directory:\n%s", mention+loop, got)
	}
}

func TestOnceIsCanceled(t *testing.T) {
	h := newHarness(t)
	h.Write(fileA, replies("a", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Once(ctx, h.settings, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
