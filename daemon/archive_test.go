package daemon

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// compress writes an archive beside a plain file, in the format that its suffix states.
func compress(t testing.TB, name string, content io.Reader) {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if filepath.Ext(name) == ".zst" {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.Copy(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Compressed transcripts count as plain transcripts, and once with them.
func TestOnceReadsArchives(t *testing.T) {
	files := transcripttest.Generate(3, transcripttest.Options{Copies: true})
	plain, archives, both := t.TempDir(), t.TempDir(), t.TempDir()
	files.Write(t, plain)
	files.Write(t, both)
	i := 0
	for name, content := range files {
		if filepath.Ext(name) != ".jsonl" {
			files := tree{name: content}
			files.Write(t, archives)
			continue
		}
		suffix := []string{".gz", ".zst"}[i%2]
		i++
		compress(t, filepath.Join(archives, name)+suffix, strings.NewReader(content))
		compress(t, filepath.Join(both, name)+suffix, strings.NewReader(content))
	}
	want, _ := snapshot(readOnce(t, plain))
	got, _ := snapshot(readOnce(t, archives))
	if d := totalsOf(&got, orderDependent...).diff(totalsOf(&want, orderDependent...)); d != "" {
		t.Errorf("archives: %s", d)
	}
	drop := append([]string{readBytes, "ccwatchd_lines_total", "ccwatchd_line_errors_total", "ccwatchd_unknown_format_total"}, orderDependent...)
	got, _ = snapshot(readOnce(t, both))
	if d := totalsOf(&got, drop...).diff(totalsOf(&want, drop...)); d != "" {
		t.Errorf("archives and plain files: %s", d)
	}
}

// Of a damaged archive, the lines before the damage count, and it is reported. Several
// archives in one file, and an unterminated last line, are read.
func TestOnceReadsDamagedArchives(t *testing.T) {
	for suffix, damage := range map[string]func(b []byte) []byte{
		".gz": func(b []byte) []byte { return b[:len(b)-9] }, ".zst": func(b []byte) []byte { return b[:len(b)-2] },
	} {
		dir := t.TempDir()
		whole, damaged := filepath.Join(dir, "p", "a.jsonl"+suffix), filepath.Join(dir, "p", "b.jsonl"+suffix)
		compress(t, whole, strings.NewReader(replies("a", 1)))
		first, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		compress(t, whole, strings.NewReader(strings.TrimSuffix(replies("c", 2), "\n")))
		second, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		long := replies("b", 3000)
		compress(t, damaged, strings.NewReader(long))
		content, err := os.ReadFile(damaged)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{whole: append(first, second...), damaged: damage(content), filepath.Join(dir, "p", "c.jsonl"+suffix): []byte("no archive")} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := settingsFor(dir)
		r, err := Once(t.Context(), s, slog.New(slog.DiscardHandler), whole)
		if err != nil {
			t.Fatal(err)
		}
		snap, _ := snapshot(r)
		n := totalsOf(&snap)
		got := uint64(0)
		for series, v := range n {
			if strings.HasPrefix(series, requests) {
				got += v
			}
		}
		if r.Failed != 2 || got < 1003 || got > 3003 {
			t.Errorf("%s: got %d requests and %d failures, want 3 to 3003 and 2", suffix, got, r.Failed)
		}
	}
}

// An archive is read in little memory, however much it expands.
func TestOnceReadsBomb(t *testing.T) {
	const size = 64 << 20
	for _, suffix := range []string{".gz", ".zst"} {
		dir := t.TempDir()
		zeros := io.LimitReader(repeated('x'), size)
		compress(t, filepath.Join(dir, "p", "a.jsonl"+suffix), io.MultiReader(zeros, strings.NewReader("\n"+replies("a", 2))))
		before := allocated()
		r, err := Once(t.Context(), settingsFor(dir), slog.New(slog.DiscardHandler))
		if err != nil || r.Failed > 0 {
			t.Fatal(r, err)
		}
		if used := allocated() - before; used > size/2 {
			t.Errorf("%s: allocated %d MiB", suffix, used>>20)
		}
		snap, _ := snapshot(r)
		got := totalsOf(&snap)
		if d := got[`ccwatchd_line_errors_total{reason="too_long"}`]; d != 1 {
			t.Errorf("%s: got %d lines that are too long", suffix, d)
		}
	}
}

type repeated byte

func (r repeated) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r)
	}
	return len(b), nil
}

// The daemon says how many compressed transcripts it leaves aside.
func TestDaemonLeavesArchivesAside(t *testing.T) {
	h := newHarness(t)
	h.Write(fileA, replies("a", 1))
	for i, name := range []string{"p/b.jsonl.gz", "p/b/subagents/agent-1.jsonl.zst", "p/history.jsonl.gz", "p/._b.jsonl.gz", "p/b.json.gz"} {
		compress(t, h.Path(name), strings.NewReader(replies(fmt.Sprint("b", i), 2)))
	}
	h.start()
	h.waitFor(totals{requests: 1})
	aside := func(n int) func() bool {
		return func() bool {
			dirs := *h.d.watchedDirs.Load()
			return h.metric("ccwatchd_compressed_files") == float64(n) && dirs[0].Archives == n
		}
	}
	h.waitUntil("archives are counted", aside(2))
	h.Remove("p/b.jsonl.gz")
	h.waitUntil("an archive is removed", aside(1))
	h.waitFor(totals{requests: 1})
}
