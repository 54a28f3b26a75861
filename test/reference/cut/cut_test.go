package cut

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

func at(t *testing.T, stamp string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestBetween(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"one line", []string{"2026-03-01T10:00:00Z"}, nil},
		{"ten minutes with an interval in the middle", []string{"2026-03-01T10:00:00Z", "2026-03-01T10:10:00Z"}, []string{"2026-03-01T10:05:00Z"}},
		{"too short", []string{"2026-03-01T10:00:00Z", "2026-03-01T10:09:59Z"}, nil},
		{"no interval in the middle", []string{"2026-03-01T10:00:01Z", "2026-03-01T10:14:59Z"}, nil},
		{"last interval", []string{"2026-03-01T10:00:00Z", "2026-03-01T10:31:00Z"}, []string{"2026-03-01T10:25:00Z"}},
		{"half hour", []string{"2026-03-01T10:00:00Z", "2026-03-01T10:55:00Z"}, []string{"2026-03-01T10:30:00Z"}},
		{"full hour", []string{"2026-03-01T10:30:00Z", "2026-03-01T11:30:00Z"}, []string{"2026-03-01T11:00:00Z"}},
		{"last full hour", []string{"2026-03-01T10:30:00Z", "2026-03-01T20:00:00Z"}, []string{"2026-03-01T19:00:00Z"}},
		{"midnight", []string{"2026-03-01T10:30:00Z", "2026-03-02T03:00:00Z"}, []string{"2026-03-02T00:00:00Z"}},
		{"midnight is not quiet", []string{"2026-03-01T10:30:00Z", "2026-03-02T00:04:59Z"}, []string{"2026-03-01T23:00:00Z"}},
		{"last midnight of several", []string{"2026-03-01T10:30:00Z", "2026-03-04T03:00:00Z"}, []string{"2026-03-04T00:00:00Z"}},
		{"several", []string{"2026-03-01T10:00:00Z", "2026-03-01T12:00:00Z", "2026-03-01T14:00:00Z"}, []string{"2026-03-01T11:00:00Z", "2026-03-01T13:00:00Z"}},
	} {
		var lines []time.Time
		for _, stamp := range tt.lines {
			lines = append(lines, at(t, stamp))
		}
		var got []string
		for _, c := range between(lines) {
			got = append(got, c.Format(time.RFC3339))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTimeOf(t *testing.T) {
	for line, want := range map[string]string{
		`{"timestamp":"2026-03-01T10:00:00.123Z"}`:                      "2026-03-01T10:00:00.123Z",
		"\ufeff" + `{"timestamp":"2026-03-01T12:00:00+02:00"}` + "\r\n": "2026-03-01T10:00:00Z",
		`{"snapshot":{"timestamp":"2026-03-01T10:00:00Z"}}`:             "",
		`{"timestamp":5}`:                      "",
		`{"timestamp":"2019-12-31T23:59:59Z"}`: "",
		`["2026-03-01T10:00:00Z"]`:             "",
		`{"timestamp":"2026-03-01T10:00:00Z"}{"timestamp":"2026-03-01T11:00:00Z"}`: "2026-03-01T11:00:00Z",
		`{"timestamp":"2026-03-01T10:00:00Z","x":"cut of`:                          "2026-03-01T10:00:00Z",
		`garbage`: "",
	} {
		got, ok := timeOf([]byte(line))
		if ok != (want != "") || ok && !got.Equal(at(t, want)) {
			t.Errorf("%s: got %v, %t, want %s", line, got, ok, want)
		}
	}
}

func TestCopy(t *testing.T) {
	line := func(stamp string) string { return `{"timestamp":"` + stamp + `"}` + "\n" }
	const noon, later = "2026-03-01T12:00:00Z", "2026-03-01T20:00:00Z"
	from := transcripttest.NewDir(t)
	from.Write("p/a.jsonl", "[]\n"+line(noon)+"{}\n"+line(later)+"{}\n"+line(noon))
	from.Write("p/old.jsonl", line("2026-03-01T11:55:00Z"))
	from.Write("p/new.jsonl", line(later))
	from.Write("p/history.jsonl", line(noon))
	from.Write("p/memory/note.jsonl", line(noon))
	tree, err := Read(from.Root, at(t, "2026-03-02T00:00:00Z"))
	if err != nil || len(tree.Cuts) != 1 || !tree.Cuts[0].Equal(at(t, "2026-03-01T19:00:00Z")) {
		t.Fatalf("got cuts %v, error %v", tree.Cuts, err)
	}
	if want := []string{from.Path("p/old.jsonl"), from.Path("p/a.jsonl"), from.Path("p/new.jsonl")}; !slices.Equal(tree.Files, want) {
		t.Errorf("got files %v, want %v", tree.Files, want)
	}
	to := t.TempDir()
	if err := Copy(from.Root, to, tree.Cuts[0]); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(to, "p/a.jsonl")); err != nil || string(got) != line(noon)+"{}\n"+line(noon) {
		t.Errorf("got %q, error %v", got, err)
	}
	left, err := os.ReadDir(filepath.Join(to, "p"))
	if err != nil || len(left) != 2 {
		t.Errorf("got files %v, error %v, want two", left, err)
	}
	if _, err := Read(from.Path("missing"), time.Now()); err == nil {
		t.Error("a missing directory: got no error")
	}
}
