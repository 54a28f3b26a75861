package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// asProgram makes this test binary behave as the reference and as ccwatchd.
const asProgram = "COMPARE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(program(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// program prints the totals in the file "want" or "got" of a tree: as the reference,
// called with "oracle.py ." in the tree, or as "ccwatchd once TREE", which also prints
// the families in the file "series". In a cut tree the reference prints the number of
// lines.
func program(args []string) int {
	if _, err := os.Stat("want"); args[0] != "once" && errors.Is(err, fs.ErrNotExist) {
		return countLines()
	}
	name, format := "want", expected
	if args[0] == "once" {
		name, format = "got", shown
	}
	sessions, err := os.ReadFile(filepath.Join(args[1], name))
	if err != nil {
		fmt.Fprintln(os.Stderr, "no such tree")
		return 1
	}
	text := format(string(sessions))
	if args[0] == "once" {
		series, _ := os.ReadFile(filepath.Join(args[1], "series"))
		text += string(series)
	}
	if _, err := os.Stdout.WriteString(text); err != nil {
		return 1
	}
	return 0
}

// countLines prints the number of lines of the session "p/s.jsonl", and one more if
// there are two.
func countLines() int {
	content, err := os.ReadFile("p/s.jsonl")
	if err != nil {
		fmt.Fprintln(os.Stderr, "no such tree")
		return 1
	}
	n := bytes.Count(content, []byte("\n"))
	_, _ = fmt.Fprintf(os.Stdout, "entries\tsubtype=,type=user\t%d\n", n+n/2)
	return 0
}

func expected(sessions string) string { return "sessions\t\t" + sessions + "\n" }

func shown(sessions string) string {
	return "# TYPE claude_sessions_total counter\nclaude_sessions_total{project=\"p\"} " + sessions + "\n"
}

func TestTrees(t *testing.T) {
	t.Setenv(asProgram, "1")
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for tree, got := range map[string]string{a: "3", b: "4"} {
		filetest.Write(t, filepath.Join(tree, "want"), "3")
		filetest.Write(t, filepath.Join(tree, "got"), got)
	}
	filetest.Write(t, filepath.Join(dir, "README"), "no tree")
	const compared = ": 1 totals and 0 series compared, "
	table := "  NAME        WANT  GOT  DIFFERENCE  \n  sessions{}  3     4    +1 differs  \n"
	for _, test := range []struct {
		name   string
		args   []string
		status int
		stdout string
	}{
		{"one", []string{a}, equal, a + compared + "all equal\n"},
		{"a difference does not stop the comparison", []string{b, a}, different, b + compared + "1 differences\n" + table + a + compared + "all equal\n"},
		{"each", []string{"--each", dir}, different, a + compared + "all equal\n" + b + compared + "1 differences\n" + table},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"--python", self(t), "--oracle", "oracle.py", "--ccwatchd", self(t)}, test.args...)
			var stdout bytes.Buffer
			status, err := run(t.Context(), args, &stdout)
			if err != nil || status != test.status || stdout.String() != test.stdout {
				t.Errorf("status %d, error %v, output\n%s, want status %d, output\n%s", status, err, &stdout, test.status, test.stdout)
			}
		})
	}
}

// The exposition must have the totals of the second implementation. Without the
// reference program, totals are compared with a file, if there is one.
func TestSeries(t *testing.T) {
	t.Setenv(asProgram, "1")
	tree := t.TempDir()
	filetest.Write(t, filepath.Join(tree, "got"), "1")
	filetest.Write(t, filepath.Join(tree, "p/s.jsonl"), `{"type":"pr-link","prUrl":"a"}`+"\n")
	const links = "# TYPE claude_pull_requests_total counter\nclaude_pull_requests_total{project=\"unknown\"} "
	for _, test := range []struct {
		name, series, totals string
		status               int
		stdout               string
	}{
		{"equal", links + "1\n", "", equal, ": 0 totals and 1 series compared, all equal\n"},
		{"different", links + "2\n", "", different, ": 0 totals and 1 series compared, 1 differences\n" +
			"  NAME                                           WANT  GOT  DIFFERENCE  \n" +
			"  claude_pull_requests_total{project=\"unknown\"}  1     2    +1 differs  \n"},
		{"totals in a file", links + "1\n", expected("2"), different, ": 1 totals and 1 series compared, 1 differences\n" +
			"  NAME        WANT  GOT  DIFFERENCE  \n  sessions{}  2     1    -1 differs  \n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			filetest.Write(t, filepath.Join(tree, "series"), test.series)
			if test.totals != "" {
				filetest.Write(t, filepath.Join(tree, "expected.tsv"), test.totals)
			}
			var stdout bytes.Buffer
			status, err := run(t.Context(), []string{"--ccwatchd", self(t), tree}, &stdout)
			if want := tree + test.stdout; err != nil || status != test.status || stdout.String() != want {
				t.Errorf("status %d, error %v, output\n%s, want status %d, output\n%s", status, err, &stdout, test.status, want)
			}
		})
	}
}

// The history before each cut must equal the reference's totals for the cut tree.
func TestCuts(t *testing.T) {
	t.Setenv(asProgram, "1")
	tree := t.TempDir()
	filetest.Write(t, filepath.Join(tree, "want"), "1")
	filetest.Write(t, filepath.Join(tree, "got"), "1")
	for _, tt := range []struct {
		times  []string // in March 2026
		status int
		stdout string
	}{
		{[]string{"01T10:00", "01T10:20"}, equal, " before 2026-03-01T10:15:00Z: 1 totals and 0 series compared, all equal\n"},
		{[]string{"01T10:00", "03T10:00"}, equal, " before 2026-03-03T00:00:00Z: 1 totals and 0 series compared, all equal\n"},
		{[]string{"01T10:00", "03T10:00", "05T10:00"}, different, " before 2026-03-03T00:00:00Z: 1 totals and 0 series compared, all equal\n" +
			tree + " before 2026-03-05T00:00:00Z: 1 totals and 0 series compared, 1 differences\n" +
			"  NAME                WANT  GOT  DIFFERENCE  \n" +
			"  entries{type=user}  3     2    -1 differs  \n"},
	} {
		session := ""
		for _, at := range tt.times {
			session += fmt.Sprintf(`{"type":"user","timestamp":"2026-03-%s:00.000Z"}`+"\n", at)
			newest, err := time.Parse("2006-01-02T15:04", "2026-03-"+at)
			if err != nil {
				t.Fatal(err)
			}
			filetest.Write(t, filepath.Join(tree, "series"), fmt.Sprintf("# TYPE %s gauge\n%[1]s{project=\"unknown\"} %d\n", "claude_last_activity_timestamp_seconds", newest.Unix()))
		}
		filetest.Write(t, filepath.Join(tree, "p/s.jsonl"), session)
		var stdout bytes.Buffer
		args := []string{"--python", self(t), "--oracle", "oracle.py", "--ccwatchd", self(t), "--cuts=5", tree}
		status, err := run(t.Context(), args, &stdout)
		if want := tree + ": 1 totals and 1 series compared, all equal\n" + tree + tt.stdout; err != nil || status != tt.status || stdout.String() != want {
			t.Errorf("status %d, error %v, output\n%s, want status %d, output\n%s", status, err, &stdout, tt.status, want)
		}
	}
}

func TestSpread(t *testing.T) {
	var all []time.Time
	for n := range int64(10) {
		all = append(all, time.Unix(n, 0))
	}
	for n, want := range map[int][]int64{1: {5}, 3: {2, 5, 7}, 10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 11: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		var got []int64
		for _, at := range spread(all, n) {
			got = append(got, at.Unix())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}

func TestTrouble(t *testing.T) {
	t.Setenv(asProgram, "1")
	empty := t.TempDir()
	missing := filepath.Join(empty, "missing")
	oracle := func(args ...string) []string {
		return append([]string{"--python", self(t), "--oracle", "oracle.py", "--ccwatchd", self(t)}, args...)
	}
	for _, test := range []struct {
		name string
		args []string
		want string // in the error
	}{
		{"no arguments", nil, "no directory to compare (try --help)"},
		{"a bad flag", []string{"--bad"}, "flag provided but not defined: -bad (try --help)"},
		{"negative cuts", oracle("--cuts=-1", empty), "--cuts must not be negative"},
		{"missing directory", oracle(missing), "missing"},
		{"directory without trees", oracle("--each", empty), "has no sub-directories"},
		{"failing programs", oracle(empty), "exit status 1\nno such tree"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout bytes.Buffer
			status, err := run(t.Context(), test.args, &stdout)
			if status != trouble || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("status %d, error %v, want status %d, error with %q", status, err, trouble, test.want)
			}
			if stdout.Len() != 0 {
				t.Errorf("output %q, want none", &stdout)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout bytes.Buffer
	status, err := run(t.Context(), []string{"--help"}, &stdout)
	if status != equal || err != nil {
		t.Errorf("status %d, error %v", status, err)
	}
	for _, want := range []string{"DIR/expected.tsv", "--oracle oracle.py", "Exit status", "-latency-tolerance"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the help lacks %s", want)
		}
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
