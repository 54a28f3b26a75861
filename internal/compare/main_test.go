package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestEverything(t *testing.T) {
	if _, err := ccusagePackage(runtime.GOOS, runtime.GOARCH); err != nil {
		t.Skip(err)
	}
	install(t, "go", "git", "npm", "xargs", "cat", "wc", "jq")
	const (
		totals = "| tokens | input | output | cache write | cache read |\n|---|--:|--:|--:|--:|\n" +
			"| truth | 139 | 2,009 | 1,358 | 90,062 |\n" +
			"| `jq` | 8,984 (+6363.3 %) | 1,780 (-11.4 %) | 4,742 (+249.2 %) | 70,709 (-21.5 %) |\n" +
			"| `ccwatchd` | 139 (exact) | 2,009 (exact) | 1,358 (exact) | 90,062 (exact) |\n" +
			"| `ccusage` | 8,960 (+6346.0 %) | 786 (-60.9 %) | 1,363 (+0.4 %) | 52,997 (-41.2 %) |\n\n"
		notes = "- `cat`: cat 1.2, as `xargs -0 cat`\n" +
			"- `wc -l`: wc 1.2, as `xargs -0 wc -l`\n" +
			"- `jq`: jq 1.2, as `xargs -0 jq -ncR` with the sum of `.message.usage` of all lines, in one round only\n" +
			"- `ccwatchd`: commit v1-2-g345, as `ccwatchd once DIR/projects`\n" +
			"- `ccusage`: ccusage 1.2, its native binary, as `CLAUDE_CONFIG_DIR=DIR ccusage claude daily --offline --json`\n"
		command = "To repeat it: `go run ./internal/compare --seed=7 --size=1000B --runs=2`."
	)
	cache, name := t.TempDir(), filepath.Join(t.TempDir(), "page.md")
	write(t, name, begin+end)
	args := []string{"--cache", cache, "--seed=7", "--size=1000B", "--runs=2"}
	var stdout, progress bytes.Buffer
	if err := run(t.Context(), args, &stdout, &progress); err != nil {
		t.Fatal(err)
	}
	if got := stdout.String(); !strings.HasSuffix(got, totals+notes) || !strings.Contains(got, command) || !strings.Contains(got, "1 files with 2 lines") {
		t.Errorf("it prints\n%s\nwhich lacks one of\n%s%s%s", got, command, totals, notes)
	}

	// The second time the corpus is there, and the tables go elsewhere.
	stdout.Reset()
	progress.Reset()
	if err := run(t.Context(), append(args, "--write", name), &stdout, &progress); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), totals+notes) || stdout.Len() > 0 {
		t.Errorf("error %v, page\n%s\nprinted %q", err, text, &stdout)
	}
	if said := progress.String(); strings.Contains(said, "generating") || !strings.Contains(said, "the corpus is in "+cache) {
		t.Errorf("the corpus is not used again:\n%s", said)
	}
}

func TestWhatIsMissingIsLeftOut(t *testing.T) {
	install(t, "go", "xargs", "wc")
	var stdout bytes.Buffer
	if err := run(t.Context(), []string{"--cache", t.TempDir(), "--seed=7", "--size=1000B", "--runs=1"}, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	const want = "\n- `wc -l`: wc 1.2, as `xargs -0 wc -l`\n" +
		"- `ccwatchd`: ccwatchd of this checkout, as `ccwatchd once DIR/projects`\n" +
		"- Left out, cat: cat is not installed\n" +
		"- Left out, jq: jq is not installed\n" +
		"- Left out, ccusage: npm is not installed\n"
	if got := stdout.String(); !strings.HasSuffix(got, want) {
		t.Errorf("it prints\n%s\nwhich does not end with\n%s", got, want)
	}
}

func TestTrouble(t *testing.T) {
	install(t, "go", "xargs", "wc")
	cache := t.TempDir()
	missing := filepath.Join(cache, "missing")
	for _, test := range []struct {
		name string
		args []string
		want string // in the error
	}{
		{"a flag that is not known", []string{"--bad"}, "unknown long flag '--bad' (try --help)"},
		{"a size that is none", []string{"--size=x"}, "(try --help)"},
		{"no size", []string{"--size=0B"}, "--runs and --size must be at least 1 (try --help)"},
		{"no rounds", []string{"--runs=0"}, "--runs and --size must be at least 1 (try --help)"},
		{"a page that is not there", []string{"--write", missing}, "read the page: open " + missing},
		{"a directory that is not there", []string{missing}, "list the corpus: "},
		{"a generator that fails", []string{"--seed=13"}, "generate the corpus: exit status 1"},
		{"a generator that knows no truth", []string{"--seed=14"}, "generate the corpus: stat "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout bytes.Buffer
			err := run(t.Context(), append([]string{"--cache", cache}, test.args...), &stdout, io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if stdout.Len() > 0 {
				t.Errorf("it prints %q", &stdout)
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(cache, "*corpus*")); err != nil || len(left) > 0 {
		t.Errorf("half a corpus is left in %q, error %v", left, err)
	}
}

func TestHelp(t *testing.T) {
	var stdout bytes.Buffer
	if err := run(t.Context(), []string{"--help"}, &stdout, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Examples:", "--ccusage-version", "--write=FILE"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("help lacks %q:\n%s", want, &stdout)
		}
	}
}
