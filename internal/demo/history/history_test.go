package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// history returns the samples of some time of a Monday by series, in order.
func history(t *testing.T, span time.Duration) map[string][]float64 {
	t.Helper()
	var page bytes.Buffer
	if err := write(t.Context(), bufio.NewWriter(&page), 1, 2, monday, monday.Add(span)); err != nil {
		t.Fatal(err)
	}
	text, ended := strings.CutSuffix(page.String(), "\n# EOF\n")
	if !ended {
		t.Error("it does not end")
	}
	sample := regexp.MustCompile(`^(\w+\{instance="office:10229",job="ccwatchd"[,}].*) (\S+) \d{10}$`)
	all := map[string][]float64{}
	for line := range strings.Lines(text) {
		part := sample.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if part == nil {
			t.Fatalf("%q is no sample", line)
		}
		value, err := strconv.ParseFloat(part[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[part[1]] = append(all[part[1]], value)
	}
	return all
}

// Every scrape is there, what grows only grows, and what is new begins at zero.
func TestHistory(t *testing.T) {
	const span = 2 * time.Hour
	scrapes := int(span/often) + 1
	work := 0.0
	for series, values := range history(t, span) {
		if strings.HasPrefix(series, "up{") && len(values) != scrapes {
			t.Errorf("there are %d scrapes, want %d", len(values), scrapes)
		}
		if !regexp.MustCompile(`^(?:claude|ccwatchd)_\w+_(total|count|bucket)\{`).MatchString(series) {
			continue
		}
		if len(values) < scrapes && values[0] != 0 {
			t.Errorf("%s begins with %v", series, values[0])
		}
		for i := 1; i < len(values); i++ {
			if values[i] < values[i-1] {
				t.Errorf("%s falls from %v to %v", series, values[i-1], values[i])
			}
		}
		if strings.HasPrefix(series, "claude_requests_total{") {
			work += values[len(values)-1]
		}
	}
	if work == 0 {
		t.Error("nobody did anything")
	}
}

// The same office does the same work.
func TestSameWork(t *testing.T) {
	var all [2]map[string]string
	for i := range all {
		dir := t.TempDir()
		o := openOffice(t, dir)
		for now := monday; now.Before(monday.Add(8 * time.Hour)); now = now.Add(time.Hour) {
			if _, err := o.work(now); err != nil {
				t.Fatal(err)
			}
		}
		all[i] = tree(t, dir)
	}
	if len(all[0]) == 0 || !maps.Equal(all[0], all[1]) {
		t.Errorf("there are %d files, and another time %d, or others", len(all[0]), len(all[1]))
	}
}

// openOffice returns an office of two on a Monday.
func openOffice(t *testing.T, dir string) *office {
	t.Helper()
	o, err := newOffice(dir, 1, 2, monday, monday.Add(day))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// tree returns the files below a directory by their paths.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	below := os.DirFS(dir)
	err := fs.WalkDir(below, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(below, path)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWorkingHours(t *testing.T) {
	o := openOffice(t, t.TempDir())
	for _, test := range []struct {
		at, earliest time.Time
		now          bool
	}{
		{monday, monday, true},
		{monday.Add(8*time.Hour + 59*time.Minute), monday.Add(8*time.Hour + 59*time.Minute), true},
		{monday.Add(9 * time.Hour), monday.Add(23 * time.Hour), false},
		{monday.Add(-2 * time.Hour), monday.Add(-time.Hour), false},
		{monday.Add(5*day + time.Hour), monday.Add(7*day - time.Hour), false},
		{monday.Add(4*day + 10*time.Hour), monday.Add(7*day - time.Hour), false},
	} {
		got := o.workingHours(test.at)
		late := got.Sub(test.earliest)
		if test.now && late != 0 || late < 0 || late > 2*time.Hour {
			t.Errorf("who could begin at %v does at %v", test.at, got)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"--help"}, 0},
		{[]string{"--until=yesterday"}, 2},
		{[]string{"--nonsense"}, 2},
		{[]string{"--people=0"}, 2},
		{[]string{"--people=9"}, 2},
		{[]string{"--days=-1"}, 2},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(test.args, &stdout, &stderr); got != test.want || (got != 0) != (stderr.Len() > 0) {
			t.Errorf("%q ends with %d, want %d, and says %q", test.args, got, test.want, stderr.String())
		}
	}
}
