package corpus_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

func generate(t testing.TB, o corpus.Options) (string, corpus.Summary) {
	t.Helper()
	dir := t.TempDir()
	summary, err := corpus.Generate(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, summary
}

// ccwatchd counts what the second implementation finds, and the tokens that were
// written. It runs as a separate program, so that it shares nothing with them.
func TestExpected(t *testing.T) {
	ccwatchd := build(t)
	t.Run("corpus", func(t *testing.T) { testCorpora(t, ccwatchd) })
	t.Run("writer", func(t *testing.T) { testWriters(t, ccwatchd) })
}

func testCorpora(t *testing.T, ccwatchd string) {
	t.Helper()
	for _, o := range []corpus.Options{
		{Seed: 1},
		{Seed: 2},
		{Seed: 3, Projects: 2},
		{Seed: 6, Projects: 30, Unpriced: 30, Size: 8 << 20},
		{Seed: 4, Size: 8 << 20},
		{Seed: 5, Size: 8 << 20, Until: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Seed: 7, Size: 4 << 20, Requests: 5},
	} {
		t.Run(fmt.Sprint("seed ", o.Seed), func(t *testing.T) {
			t.Parallel()
			dir, summary := generate(t, o)
			got := compare(t, ccwatchd, dir)
			for kind, want := range map[string]int{"input": summary.Tokens.Input, "output": summary.Tokens.Output, "cache_read": summary.Tokens.CacheRead} {
				if n, _ := got.Sum("claude_tokens_total", "type", kind); n != float64(want) || n == 0 {
					t.Errorf("got %v %s tokens, want %d", n, kind, want)
				}
			}
			short, _ := got.Sum("claude_tokens_total", "type", "cache_write_5m")
			long, _ := got.Sum("claude_tokens_total", "type", "cache_write_1h")
			if want := float64(summary.Tokens.CacheWrite); short+long != want || want == 0 {
				t.Errorf("got %v cache_write tokens, want %v", short+long, want)
			}
		})
	}
}

func build(t *testing.T) (ccwatchd string) {
	t.Helper()
	testsize.SkipRace(t, "builds a program")
	ccwatchd = filepath.Join(t.TempDir(), "ccwatchd")
	if err := gobuild.Build(t.Context(), gobuild.Ccwatchd, ccwatchd); err != nil {
		t.Fatal(err)
	}
	return ccwatchd
}

// once returns what ccwatchd counts in a directory.
func once(t *testing.T, ccwatchd, dir string) exposition.Samples {
	t.Helper()
	text, err := exec.Command(ccwatchd, "once", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := exposition.ParseText(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// compare compares the counts of ccwatchd with what the second implementation finds.
func compare(t *testing.T, ccwatchd, dir string) exposition.Samples {
	t.Helper()
	got := once(t, ccwatchd, dir)
	tree, err := naive.Read(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	want := naive.Expected(tree)
	if n := want.NonZero(naive.Families()); n < 300 {
		t.Errorf("got only %d series", n)
	}
	if d := reference.DiffSeries(want, got, naive.Families()).Text(); d != "" {
		t.Errorf("%s: series differ:\n%s", dir, difftest.Head(d))
	}
	return got
}

// So it does in the files of a writer, at any speed.
func testWriters(t *testing.T, ccwatchd string) {
	t.Helper()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := corpus.NewWriter(seed, 3, start, float64(1+100*seed))
			sessions := w.Showcase(4, start)
			for range 6 {
				sessions = append(sessions, w.Session(start))
			}
			for _, line := range slices.Concat(sessions...) {
				write(t, filepath.Join(dir, filepath.FromSlash(line.Path)), line.Text)
			}
			compare(t, ccwatchd, dir)
		})
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// tree returns the hashes and modification times of the files in a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[rel] = fmt.Sprintf("%x %v", sha256.Sum256(b), info.ModTime().UTC())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSameOptionsGiveTheSameFiles(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	read := func(seed uint64) (map[string]string, corpus.Summary) {
		dir, summary := generate(t, corpus.Options{Seed: seed, Size: 4 << 20})
		return tree(t, dir), summary
	}
	files, summary := read(1)
	again, summaryAgain := read(1)
	for name, is := range files {
		if again[name] != is {
			t.Errorf("%s is %s, then %s", name, is, again[name])
		}
	}
	if len(again) != len(files) || summary != summaryAgain {
		t.Errorf("got %d files, then %d; %+v, then %+v", len(files), len(again), summary, summaryAgain)
	}
	others, _ := read(2)
	for name, is := range others {
		if files[name] == is && !strings.HasSuffix(name, ".json") && !strings.Contains(name, "memory") && filepath.Base(name) != "history.jsonl" {
			t.Errorf("%s is the same with another seed", name)
		}
	}
}

// transcripts returns the content of the transcripts by path.
func transcripts(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	err := filepath.WalkDir(filepath.Join(dir, "projects"), func(path string, e fs.DirEntry, err error) error {
		switch base := filepath.Base(path); {
		case err != nil:
			return err
		case e.IsDir() && (base == "tool-results" || base == "memory"):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(base) != ".jsonl" || base == "journal.jsonl" || base == "history.jsonl" || base == "audit.jsonl":
			return nil
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The package comment states the distributions.
func TestDistributions(t *testing.T) {
	testsize.SkipRace(t, "writes many sessions")
	dir, summary := generate(t, corpus.Options{Seed: 12, Size: int64(testsize.Of(160<<20, 64<<20))})
	var lines, sizes []int
	var quotes, backslashes, results, agents int
	for path, b := range transcripts(t, dir) {
		if strings.HasPrefix(filepath.Base(path), "agent-") {
			agents++
		}
		sizes = append(sizes, len(b))
		quotes += bytes.Count(b, []byte(`"`))
		backslashes += bytes.Count(b, []byte(`\`))
		for line := range bytes.Lines(b) {
			lines = append(lines, len(line))
			if bytes.Contains(line, []byte(`"type":"tool_result"`)) && !bytes.Contains(line, []byte(`"type":"agent_progress"`)) {
				results += len(line)
			}
		}
	}
	slices.Sort(lines)
	slices.Sort(sizes)
	at := func(sorted []int, percent float64) float64 {
		return float64(sorted[int(percent/100*float64(len(sorted)))])
	}
	total := float64(summary.Bytes)
	for _, test := range []struct {
		what          string
		got, min, max float64
	}{
		{"files", float64(summary.Files), float64(len(sizes)), float64(len(sizes))},
		{"p50 of the lines", at(lines, 50), 900, 1200},
		{"p90 of the lines", at(lines, 90), 3800, 5600},
		{"p95 of the lines", at(lines, 95), 7500, 11500},
		{"p99 of the lines", at(lines, 99), 25000, 42000},
		{"p99.9 of the lines", at(lines, 99.9), 70000, 140000},
		{"p50 of the files", at(sizes, 50), 80e3, 170e3},
		{"p90 of the files", at(sizes, 90), 0.7e6, 1.6e6},
		{"p99 of the files", at(sizes, 99), 1.5e6, 6e6},
		{"share of sub-agents", float64(agents) / float64(len(sizes)), .35, .65},
		{"share of results", float64(results) / total, .46, .57},
		{"bytes per quote", total / float64(quotes), 20, 25},
		{"bytes per backslash", total / float64(backslashes), 38, 53},
	} {
		if test.got < test.min || test.got > test.max {
			t.Errorf("%s: %.6g, want %.6g to %.6g", test.what, test.got, test.min, test.max)
		}
	}
}
