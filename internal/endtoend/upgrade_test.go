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
	"github.com/ccwatchd/ccwatchd/internal/reference"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// An upgrade is a daemon that is replaced by other versions of itself, with a
// Prometheus that scrapes them all.
type upgrade struct {
	*testing.T

	first, newer string // programs
	daemon       *Server
	prometheus   *Server
	sessions     *sessions
}

// Every series keeps its value when a newer version goes on after a crash, though
// transcripts were deleted, and when the present version returns, and when it is
// upgraded again. Prometheus sees no reset.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	u := newUpgrade(t)
	t.Run("golden state", u.testGolden)
	u.begin()

	u.sessions.write(t, 2*time.Hour)
	u.showsTruth("the first version counts")
	before := u.settled("Prometheus has what the first version counted")
	u.daemon.Kill(t)
	u.sessions.hideHalf(t)

	u.run(u.newer)
	_, now := u.shown()
	checkSame(t, "upgraded", asNewer(before), keptOf(now))
	u.settled("Prometheus has what the newer version shows")
	u.checkResets(keptNames())
	u.sessions.write(t, time.Hour)
	u.showsTruth("the newer version counts")
	u.checkRestored()
	after := u.settled("Prometheus has what the newer version counted")
	checkFuture(t, after)
	u.daemon.Kill(t)

	u.checkRefused()
	u.run(u.newer)
	_, again := u.shown()
	checkSame(t, "started once more", after, again)
	u.daemon.Stop(t)
	u.run(u.first)
	_, returned := u.shown()
	checkSame(t, "downgraded", asFirst(after), returned)
	u.settled("Prometheus has what the first version shows again")
	u.daemon.Kill(t)

	u.run(u.newer)
	_, again = u.shown()
	checkSame(t, "upgraded again", after, again)
	u.settled("Prometheus has what the newer version shows again")
	// A series of prompts without the new label was the sum of all while the first
	// version had returned, see docs/state.md.
	u.checkResets(slices.DeleteFunc(append(keptNames(), futureNames...), func(name string) bool { return name == "claude_prompts_total" }))
}

// newUpgrade builds both versions. Nothing runs yet.
func newUpgrade(t *testing.T) *upgrade {
	t.Helper()
	u := &upgrade{T: t, first: Daemon(t), newer: newerDaemon(t), sessions: newSessions(t)}
	u.daemon = NewDaemon(t, u.first, fmt.Sprintf("sources: [{path: %q, labels: {user: somebody}}]\nintervals: {message_timeout: 1s, zero_window: 3s}\n", u.sessions.dir))
	u.prometheus = NewPrometheus(t, "Prometheus", Prometheus, strings.ReplaceAll(scrapeConfig(u.daemon), "2s", "1s"))
	return u
}

// begin starts the first version, and Prometheus, which knows it before it counts
// anything.
func (u *upgrade) begin() {
	u.Helper()
	u.daemon.Start(u)
	u.prometheus.Start(u)
	u.settled("Prometheus scrapes")
}

// run has a version go on. It reports no damage, nor anything else.
func (u *upgrade) run(program string) {
	u.Helper()
	u.daemon.Program = program
	u.daemon.Start(u)
	checkHealthy(u.T, u.daemon)
}

// checkHealthy checks that a daemon has found nothing wrong.
func checkHealthy(t *testing.T, daemon *Server) {
	t.Helper()
	page, _ := shown(t, daemon)
	if !strings.Contains(page, "\nccwatchd_state_damaged_total 0\n") {
		t.Error("a part of the state is reported as damaged")
	}
	if log := daemon.Log(t); len(log) > 0 {
		t.Errorf("it logs %s", log)
	}
}

// shown returns what the daemon shows, and the numbers of all that it keeps, whatever
// version it is.
func (u *upgrade) shown() (page string, numbers map[string]float64) {
	u.Helper()
	page, _ = shown(u.T, u.daemon)
	return page, numbersOf(u.T, page, slices.Concat(familyNames(), futureNames, []string{strings.Trim(newName, `"`)}))
}

// settled waits until Prometheus has what the daemon shows, and returns that.
func (u *upgrade) settled(what string) map[string]float64 {
	u.Helper()
	settled(u.T, what, u.daemon, func(numbers map[string]float64) error { return behind(u.T, u.prometheus, numbers) })
	_, numbers := u.shown()
	return numbers
}

// showsTruth waits until the daemon shows the totals of all sessions so far.
func (u *upgrade) showsTruth(what string) {
	u.Helper()
	var want strings.Builder
	truth := u.sessions.author.Expected()
	if err := truth.WriteTSV(&want); err != nil {
		u.Fatal(err)
	}
	Eventually(u, what, func() error {
		page, _ := u.shown()
		differences, err := reference.Compare(strings.NewReader(want.String()), strings.NewReader(pageAsFirst(page)), reference.Options{})
		if len(differences) > 0 {
			err = fmt.Errorf("%v, and %d more", differences[0], len(differences)-1)
		}
		return err
	})
}

// checkRestored checks that transcripts that were deleted before the upgrade, and come
// back now, count nothing again.
func (u *upgrade) checkRestored() {
	u.Helper()
	const read = `__name__="ccwatchd_read_bytes_total" `
	_, before := u.shown()
	size := u.sessions.restore(u.T)
	var after map[string]float64
	Eventually(u, "what was restored is read", func() error {
		if _, after = u.shown(); after[read] < before[read]+float64(size) {
			return fmt.Errorf("%g of %d bytes are read", after[read]-before[read], size)
		}
		return nil
	})
	for name, n := range before {
		if strings.Contains(name, `"claude_`) && !isFuture(name) && !equal(after[name], n) {
			u.Errorf("%sis %g after it was read again, was %g", name, after[name], n)
		}
	}
}

// checkResets checks that no series with one of the names has ever fallen.
func (u *upgrade) checkResets(names []string) {
	u.Helper()
	for _, name := range names {
		for _, one := range ask(u.T, u.prometheus, "resets("+name+everything+") > 0") {
			u.Errorf("%s{%s} is reset %g times", name, nameOf(one.Labels), one.Samples[0].Value)
		}
	}
}

// checkRefused checks that the first version refuses the journal of the newer one, says
// why, and changes nothing.
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
		u.Errorf("the first version ends with %v, want 1", err)
	}
	want := (&checkpoint.VersionError{Found: checkpoint.Version + 1, Oldest: checkpoint.Version + 1, Journal: true}).Error()
	if !strings.Contains(string(out), want) {
		u.Errorf("the first version says %s, want %s", out, want)
	}
	if !maps.Equal(before, contents(u.T, state)) {
		u.Error("the first version has changed the state that it refuses")
	}
}

// contents returns what is in the files of a state, except for the file that names the
// process.
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

// asNewer returns numbers of the first version as the newer one shows them, without those
// that are zero.
func asNewer(numbers map[string]float64) map[string]float64 {
	all := make(map[string]float64)
	for name, n := range numbers {
		if n != 0 {
			all[strings.Replace(name, oldName, newName, 1)] = n
		}
	}
	return all
}

// keptOf returns the numbers of the newer version that are not only its own, without those
// that are zero.
func keptOf(numbers map[string]float64) map[string]float64 {
	all := maps.Clone(numbers)
	maps.DeleteFunc(all, func(name string, n float64) bool { return isFuture(name) || n == 0 })
	return all
}

func isFuture(name string) bool {
	return slices.ContainsFunc(futureNames, func(future string) bool { return strings.Contains(name, `"`+future) })
}

// checkSame checks that the same numbers are shown.
func checkSame(t *testing.T, when string, want, got map[string]float64) {
	t.Helper()
	if err := different(want, got); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// different returns on what numbers differ, or nil.
func different(want, got map[string]float64) (err error) {
	const enough = 100
	if len(want) < enough {
		err = fmt.Errorf("there are only %d numbers", len(want))
	}
	for name, n := range want {
		if !equal(got[name], n) {
			err = errors.Join(err, fmt.Errorf("%sis %g, want %g", name, got[name], n))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			err = errors.Join(err, fmt.Errorf("there is %s", name))
		}
	}
	return err
}

// checkFuture checks that the newer version has counted what only it does.
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
		t.Errorf("the newer version has counted %v, want %v", counted, want)
	}
}

// labelOfNewer is the label that the newer version has of prompts, in an exposition and as
// nameOf writes it.
var labelOfNewer = regexp.MustCompile(newLabel + `="[^"]*"[ ,]?`)

// asFirst returns numbers of the newer version as the first one shows them.
func asFirst(numbers map[string]float64) map[string]float64 {
	all := make(map[string]float64)
	for name, n := range numbers {
		if !isFuture(name) {
			all[labelOfNewer.ReplaceAllString(strings.Replace(name, newName, oldName, 1), "")] += n
		}
	}
	return all
}

// pageAsFirst does the same for an exposition.
func pageAsFirst(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if !strings.Contains(line, "_future_") {
			line = strings.ReplaceAll(line, strings.Trim(newName, `"`), strings.Trim(oldName, `"`))
			b.WriteString(labelOfNewer.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}

// testGolden has the newer version go on with the state that a present one left when it
// was killed, with steps in its journal.
func (u *upgrade) testGolden(t *testing.T) {
	golden := filepath.Join(Repository(t), "checkpoint", "testdata", "formats", strconv.Itoa(int(checkpoint.Version)))
	daemon := NewDaemon(t, u.newer, fmt.Sprintf("sources: [{path: %q}]\nintervals: {message_timeout: 24h, zero_window: 1s}\n", t.TempDir()))
	if err := os.CopyFS(filepath.Join(daemon.Dir, "state"), os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t)
	checkHealthy(t, daemon)
	want := asNewer(goldenNumbers(t, filepath.Join(golden, "exposition.txt")))
	Eventually(t, "every series is released and has its value", func() error {
		page, _ := shown(t, daemon)
		got := keptOf(numbersOf(t, page, append(familyNames(), strings.Trim(newName, `"`))))
		maps.DeleteFunc(got, func(name string, _ float64) bool { return strings.Contains(name, `_bucket"`) })
		return different(want, got)
	})
}

// A goldenLine is a series of a golden exposition, see TestFormats: its family, labels,
// value and, of a histogram, sum, in the unit in which they are stored.
var goldenLine = regexp.MustCompile(`^(\S+)((?: \w+="(?:[^"\\]|\\.)*")*) (\d+)(?: sum (\d+) counts \[[^]]*\])? created \d+$`)

// goldenNumbers returns the numbers of a golden exposition, without buckets: those of the
// state were others than those of the configuration.
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
			t.Fatalf("the golden exposition has %s", line)
		}
		add := func(suffix, number string, scale float64) {
			n, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers[fmt.Sprintf("__name__=%q%s ", found[1]+suffix, found[2])] = n * cmp.Or(scale, 1)
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

// sessions are the transcripts that some people write.
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

// write writes sessions that began some time ago. Everything that is counted occurs in
// them.
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
		t.Fatalf("of %d transcripts %d are deleted: %v", len(names), len(s.hidden), err)
	}
}

// restore brings back what was deleted, as from a backup, and returns how many bytes that
// is.
func (s *sessions) restore(t *testing.T) (size int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.hidden)) {
		appendTo(t, name, []byte(s.hidden[name]))
		size += len(s.hidden[name])
	}
	return size
}
