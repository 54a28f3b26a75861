//go:build endtoend

package endtoend

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/checkpoint"
	"github.com/ccwatchd/ccwatchd/internal/corpus"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// An upgrade replaces a daemon by other versions, while a Prometheus scrapes it.
type upgrade struct {
	*testing.T

	first, newer string // programs
	daemon       *Server
	prometheus   *Server
	sessions     *sessions
}

// Every series keeps its value when a newer version replaces a killed daemon, although
// transcripts were deleted; when the present version returns; and after another
// upgrade. Prometheus sees no reset.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	u := newUpgrade(t)
	t.Run("golden state", u.testGolden)
	u.begin()

	u.sessions.write(t, 2*time.Hour)
	u.awaitTotals("the first version counts")
	before := u.awaitPrometheus("Prometheus is up to date with the first version")
	u.daemon.Kill(t)
	u.sessions.hideHalf(t)

	u.start(u.newer)
	_, now := u.scrape()
	checkSame(t, "upgraded", asNewer(before), commonOf(now))
	u.awaitPrometheus("Prometheus is up to date after the upgrade")
	checkResets(t, u.prometheus, counterNames())
	u.sessions.write(t, time.Hour)
	u.awaitTotals("the newer version counts")
	u.checkRestored()
	after := u.awaitPrometheus("Prometheus is up to date with the newer version")
	checkFuture(t, after)
	u.daemon.Kill(t)

	u.checkRefused()
	u.start(u.newer)
	_, again := u.scrape()
	checkSame(t, "started once more", after, again)
	u.daemon.Stop(t)
	u.start(u.first)
	_, returned := u.scrape()
	checkSame(t, "downgraded", asFirst(after), returned)
	u.awaitPrometheus("Prometheus is up to date after the downgrade")
	u.daemon.Kill(t)

	u.start(u.newer)
	_, again = u.scrape()
	checkSame(t, "upgraded again", after, again)
	u.awaitPrometheus("Prometheus is up to date after the second upgrade")
	// The downgrade summed up the series of prompts without the new label, see
	// docs/state.md.
	checkResets(t, u.prometheus, slices.DeleteFunc(append(counterNames(), futureNames...), func(name string) bool { return name == "claude_prompts_total" }))
}

// newUpgrade builds both versions.
func newUpgrade(t *testing.T) *upgrade {
	t.Helper()
	u := &upgrade{T: t, first: Daemon(t), newer: newerDaemon(t), sessions: newSessions(t)}
	u.daemon = NewDaemon(t, u.first, fmt.Sprintf("sources: [{path: %q, labels: {user: somebody}}]\nintervals: {message_timeout: 1s, zero_window: 3s}\n", u.sessions.dir))
	u.prometheus = NewPrometheus(t, "Prometheus", Prometheus, strings.ReplaceAll(scrapeConfig(u.daemon), "2s", "1s"))
	return u
}

// begin starts the first version and Prometheus, which scrapes before anything is
// counted.
func (u *upgrade) begin() {
	u.Helper()
	u.daemon.Start(u)
	u.prometheus.Start(u)
	u.awaitPrometheus("Prometheus scrapes")
}

// start starts a version, which must not report any problem.
func (u *upgrade) start(program string) {
	u.Helper()
	u.daemon.Program = program
	u.daemon.Start(u)
	checkHealthy(u.T, u.daemon)
}

// checkHealthy checks that a daemon reports no problem.
func checkHealthy(t *testing.T, daemon *Server) {
	t.Helper()
	text, _ := scrape(t, daemon)
	if !strings.Contains(text, "\nccwatchd_state_damaged_total 0\n") {
		t.Error("the state is damaged")
	}
	if log := daemon.Log(t); len(log) > 0 {
		t.Errorf("got log %s", log)
	}
}

// scrape returns the exposition, and the counters in the state of any version.
func (u *upgrade) scrape() (text string, numbers map[string]float64) {
	u.Helper()
	text, _ = scrape(u.T, u.daemon)
	return text, numbersOf(u.T, text, slices.Concat(familyNames(), futureNames, []string{newName}))
}

// awaitPrometheus waits until Prometheus is up to date, and returns the counters.
func (u *upgrade) awaitPrometheus(what string) map[string]float64 {
	u.Helper()
	awaitSettled(u.T, what, u.daemon, func(numbers map[string]float64) error { return upToDate(u.T, u.prometheus, numbers) })
	_, numbers := u.scrape()
	return numbers
}

// awaitTotals waits until the daemon has the totals of all sessions so far.
func (u *upgrade) awaitTotals(what string) {
	u.Helper()
	var want strings.Builder
	truth := u.sessions.author.Expected()
	if err := truth.WriteTSV(&want); err != nil {
		u.Fatal(err)
	}
	Eventually(u, what, func() error {
		text, _ := u.scrape()
		return compareTotals(want.String(), textAsFirst(text))
	})
}

// checkRestored restores the transcripts that were deleted before the upgrade, and
// checks that they are not counted again.
func (u *upgrade) checkRestored() {
	u.Helper()
	const read = "ccwatchd_read_bytes_total"
	_, before := u.scrape()
	size := u.sessions.restore(u.T)
	var after map[string]float64
	Eventually(u, "the restored files are read", func() error {
		if _, after = u.scrape(); after[read] < before[read]+float64(size) {
			return fmt.Errorf("read %g of %d bytes", after[read]-before[read], size)
		}
		for name, n := range after {
			if strings.HasPrefix(name, "ccwatchd_duplicates_total") && n == 0 {
				return fmt.Errorf("%s is new and still 0", name)
			}
		}
		return nil
	})
	for name, n := range before {
		if strings.HasPrefix(name, "claude_") && !isFuture(name) && !equal(after[name], n) {
			u.Errorf("%s after reading again: got %g, want %g", name, after[name], n)
		}
	}
}

// checkRefused checks that the first version refuses the journal of the newer one with
// an explanation, and does not change the state.
func (u *upgrade) checkRefused() {
	u.Helper()
	state := filepath.Join(u.daemon.Dir, "state")
	before := contents(u.T, state)
	args := make([]string, len(u.daemon.Args))
	for i, arg := range u.daemon.Args {
		args[i] = strings.ReplaceAll(arg, "ADDRESS", u.daemon.Address)
	}
	cmd := exec.CommandContext(u.Context(), u.first, args...)
	cmd.Dir = u.daemon.Dir
	out, err := cmd.CombinedOutput()
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		u.Errorf("exit status of the first version: got %v, want 1", err)
	}
	want := (&checkpoint.VersionError{Found: checkpoint.Version + 1, Oldest: checkpoint.Version + 1, Journal: true}).Error()
	if !strings.Contains(string(out), want) {
		u.Errorf("output of the first version: got %s, want %s", out, want)
	}
	if !maps.Equal(before, contents(u.T, state)) {
		u.Error("the first version changed the state that it refuses")
	}
}

// contents returns the content of the files of a state, except for the process id.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if all[e.Name()] = string(b); e.Name() == "pid" {
			all[e.Name()] = ""
		}
	}
	return all
}

// asNewer returns the counters of the first version as the newer one exposes them,
// without zeros.
func asNewer(numbers map[string]float64) map[string]float64 {
	all := make(map[string]float64)
	for name, n := range numbers {
		if n != 0 {
			all[strings.Replace(name, oldName, newName, 1)] = n
		}
	}
	return all
}

// commonOf returns the counters of the newer version that the first one has too, without
// zeros.
func commonOf(numbers map[string]float64) map[string]float64 {
	all := maps.Clone(numbers)
	maps.DeleteFunc(all, func(name string, n float64) bool { return isFuture(name) || n == 0 })
	return all
}

func isFuture(name string) bool {
	return slices.ContainsFunc(futureNames, func(future string) bool { return strings.HasPrefix(name, future) })
}

// checkSame checks that both have the same counters.
func checkSame(t *testing.T, when string, want, got map[string]float64) {
	t.Helper()
	const enough = 100
	if len(want) < enough {
		t.Errorf("%s: only %d counters", when, len(want))
	}
	if err := compareNumbers(want, got); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// checkFuture checks the counters that only the newer version has.
func checkFuture(t *testing.T, numbers map[string]float64) {
	t.Helper()
	counted := make(map[string]bool)
	for name, n := range numbers {
		for _, future := range append(slices.Clone(futureNames), newLabel+`="cli"`) {
			counted[future] = counted[future] || strings.Contains(name, future) && n > 0
		}
	}
	want := map[string]bool{futureNames[0]: true, futureNames[1]: true, futureNames[2]: true, futureNames[3]: false, newLabel + `="cli"`: true}
	if !maps.Equal(counted, want) {
		t.Errorf("counted by the newer version: got %v, want %v", counted, want)
	}
}

// labelOfNewer matches the new label of prompts in a series.
var labelOfNewer = regexp.MustCompile(newLabel + `="[^"]*"(, ?)?`)

// asFirst returns the counters of the newer version as the first one exposes them.
func asFirst(numbers map[string]float64) map[string]float64 {
	all := make(map[string]float64)
	for name, n := range numbers {
		if !isFuture(name) {
			all[labelOfNewer.ReplaceAllString(strings.Replace(name, newName, oldName, 1), "")] += n
		}
	}
	return all
}

// textAsFirst does the same with an exposition.
func textAsFirst(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "_future_") {
			line = strings.ReplaceAll(line, newName, oldName)
			b.WriteString(labelOfNewer.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}

// testGolden starts the newer version with the state of a killed present version, which
// has records in its journal.
func (u *upgrade) testGolden(t *testing.T) {
	golden := filepath.Join(Repository(t), "checkpoint", "testdata", "formats", strconv.Itoa(int(checkpoint.Version)))
	daemon := NewDaemon(t, u.newer, fmt.Sprintf("sources: [{path: %q}]\nintervals: {message_timeout: 24h, zero_window: 1s}\n", t.TempDir()))
	if err := os.CopyFS(filepath.Join(daemon.Dir, "state"), os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t)
	checkHealthy(t, daemon)
	want := asNewer(goldenNumbers(t, filepath.Join(golden, "exposition.txt")))
	Eventually(t, "every series has its value", func() error {
		text, _ := scrape(t, daemon)
		got := commonOf(numbersOf(t, text, append(familyNames(), newName)))
		maps.DeleteFunc(got, func(name string, _ float64) bool { return strings.Contains(name, "_bucket{") })
		return compareNumbers(want, got)
	})
}

// goldenLine matches a series of a golden exposition, see TestFormats: family, labels,
// value and, of a histogram, sum, in the stored unit.
var goldenLine = regexp.MustCompile(`^(\S+)((?: \w+="(?:[^"\\]|\\.)*")*) (\d+)(?: sum (\d+) counts \[[^]]*\])? created \d+$`)

// goldenLabel matches a label of a golden line.
var goldenLabel = regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*")`)

// goldenNumbers returns the counters of a golden exposition without buckets: the bounds
// in the state differ from those in the configuration.
func goldenNumbers(t *testing.T, file string) map[string]float64 {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	families := make(map[string]ledger.Family)
	for _, f := range ledger.Families(ledger.Options{}) {
		families[f.Name] = f
	}
	numbers := make(map[string]float64)
	for line := range strings.Lines(string(b)) {
		found := goldenLine.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			t.Fatalf("parse the golden exposition: %s", line)
		}
		add := func(suffix, number string, scale float64) {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			labels := make(map[string]string)
			for _, pair := range goldenLabel.FindAllStringSubmatch(found[2], -1) {
				labels[pair[1]], _ = strconv.Unquote(pair[2])
			}
			labels["__name__"] = found[1] + suffix
			numbers[seriesName(labels)] = n * cmp.Or(scale, 1)
		}
		switch f := families[found[1]]; f.Type {
		case ledger.Counter:
			add("", found[3], f.Scale)
		case ledger.Histogram:
			add("_count", found[3], 1)
			add("_sum", found[4], f.Scale)
		}
	}
	return numbers
}

// sessions are the transcripts of some users.
type sessions struct {
	dir    string
	author *corpus.Writer
	hidden map[string]string // transcripts, by name
}

func newSessions(t *testing.T) *sessions {
	t.Helper()
	const projects = 6
	return &sessions{dir: t.TempDir(), author: corpus.NewWriter(1, projects, time.Now().Add(-24*time.Hour), 1)}
}

// write writes sessions that began some time ago, with everything that is counted.
func (s *sessions) write(t *testing.T, ago time.Duration) {
	t.Helper()
	const people = 5
	for _, lines := range s.author.Showcase(people, time.Now().Add(-24*time.Hour-ago)) {
		for _, line := range lines {
			appendTo(t, filepath.Join(s.dir, filepath.FromSlash(line.Path)), line.Text)
		}
	}
}

// hideHalf deletes every second transcript.
func (s *sessions) hideHalf(t *testing.T) {
	t.Helper()
	var names []string
	err := filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	})
	s.hidden = make(map[string]string)
	for i := 0; i < len(names) && err == nil; i += 2 {
		var b []byte
		b, err = os.ReadFile(names[i])
		s.hidden[names[i]] = string(b)
		err = errors.Join(err, os.Remove(names[i]))
	}
	if err != nil || len(s.hidden) == 0 {
		t.Fatalf("of %d transcripts, deleted %d: %v", len(names), len(s.hidden), err)
	}
}

// restore writes the deleted transcripts again, as from a backup, and returns their
// size.
func (s *sessions) restore(t *testing.T) (size int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.hidden)) {
		appendTo(t, name, []byte(s.hidden[name]))
		size += len(s.hidden[name])
	}
	return size
}
