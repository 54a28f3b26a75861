package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// TestScripts runs the scripts in testdata. A script is a txtar archive of transcripts
// and expected expositions. Its comment consists of prose (lines that begin with #) and
// steps, one a line:
//
//	read FILE [N]         read the next N lines of a file, or all that are left
//	settle                count final and superseded messages
//	quiet FILE            finalize a file
//	ended                 observe the sessions that have been quiet for a day
//	reset FILE REASON     read a file again from its beginning
//	replace FILE WITH     another file, with the content of WITH, gets the name
//	move FILE TO          rename a file
//	gone FILE             mark a file as missing
//	forget FILE           forget a file
//	type FILE TYPE        the description of a sub-agent states its type
//	source FILE L=V       add a source label to the file's subsequent lines
//	start                 end the time before the first scrape
//	limit LABEL N         limit the number of values of a label
//	prices NAME           change the prices: on, off, raised or future, see pricesNamed
//	now TIME              set the clock, which starts at 2026-06-01T00:00:00Z
//	restart               save the ledger and read it back
//	only FAMILY...        compare no other families
//	see SECTION           compare every series that is not zero with a section
//	scrape SECTION        compare what a scrape exposes, including zeros, and release it
//
// The last step is "see want". A section is an exposition without empty labels. Run the
// test with -update to write the sections, and review the diff.
func TestScripts(t *testing.T) {
	eachScript(t, func(s *script, name string) {
		s.run()
		if *difftest.Update {
			if err := os.WriteFile(name, txtar.Format(s.archive), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// eachScript calls f for every script in a test of its own.
func eachScript(t *testing.T, f func(s *script, name string)) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f(newScript(t, archive), name)
		})
	}
}

// A script is the state of a running script.
type script struct {
	*testing.T
	archive *txtar.Archive
	ledger  *Ledger
	opts    Options
	now     int64
	files   map[string]*transcriptFile
	opened  FileID // number of files opened
	only    []string

	arrange func(*Ledger) // changes a ledger that was read back
}

func newScript(t *testing.T, a *txtar.Archive) *script {
	s := &script{
		T: t, archive: a, opts: testOptions(), now: millis(t, "2026-06-01T00:00:00Z"),
		files: make(map[string]*transcriptFile), arrange: func(*Ledger) {},
	}
	s.ledger = New(s.opts, s.now)
	return s
}

func (s *script) run() {
	for number, text := range strings.Split(string(s.archive.Comment), "\n") {
		text, _, _ = strings.Cut(text, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if !s.step(words[0], words[1:]) {
			s.Fatalf("line %d: invalid step: %s", number+1, text)
		}
	}
	s.see("want")
}

func (s *script) step(verb string, args []string) bool {
	switch fmt.Sprint(verb, " ", len(args)) {
	case "read 1":
		s.read(args[0], -1)
	case "read 2":
		s.read(args[0], s.number(args[1]))
	case "settle 0":
		s.ledger.Settle()
	case "quiet 1":
		s.ledger.FinalizeFile(s.file(args[0]).file.ID, s.now)
	case "ended 0":
		s.ledger.EndSessions(s.now)
	case "reset 2":
		f := s.file(args[0])
		f.next = 0
		s.ledger.Reset(f.file.ID, args[1], s.now)
	case "replace 2":
		s.files[args[0]] = s.open(args[0], args[1])
	case "move 2":
		s.move(args[0], args[1])
	case "gone 1":
		s.ledger.MarkMissing(s.file(args[0]).file.ID)
	case "forget 1":
		s.ledger.Forget([]FileID{s.file(args[0]).file.ID}, s.now)
		delete(s.files, args[0])
	case "source 2":
		name, value, _ := strings.Cut(args[1], "=")
		f := s.file(args[0])
		f.file.Source = counters.NewSourceLabels(map[string]string{name: value})
		s.ledger.Open(f.file)
	case "type 2":
		f := s.file(args[0])
		f.file.AgentType, f.file.Opened = args[1], s.now
		s.ledger.Open(f.file)
	case "start 0":
		s.ledger.set.Start()
	case "limit 2":
		s.opts.Limits = maps.Clone(s.opts.Limits)
		s.opts.Limits[args[0]] = s.number(args[1])
		s.ledger.Configure(s.opts)
	case "prices 1":
		s.opts.Prices = s.pricesNamed(args[0])
		s.ledger.Configure(s.opts)
	case "now 1":
		s.now = millis(s, args[0])
	case "restart 0":
		s.ledger = reopened(s, s.ledger)
		s.arrange(s.ledger)
	case "see 1":
		s.see(args[0])
	case "scrape 1":
		s.compare(args[0], exposition(s.ledger.Snapshot(s.now), s.shown, true))
		releaseAll(s.ledger)
	default:
		s.only = args
		return verb == "only"
	}
	return true
}

// pricesNamed returns prices by their name in scripts.
func (s *script) pricesNamed(name string) *pricing.Table {
	switch name {
	case "on":
		return testPrices()
	case "off":
		return nil
	case "raised":
		return raisedPrices()
	case "future":
		return futurePrices()
	}
	s.Fatalf("no prices are named %s", name)
	return nil
}

func (s *script) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// file returns the file with a name. It opens it the first time.
func (s *script) file(name string) *transcriptFile {
	if s.files[name] == nil {
		s.files[name] = s.open(name, name)
	}
	return s.files[name]
}

func (s *script) open(name, content string) *transcriptFile {
	s.opened++
	f := &transcriptFile{file: testFile(s.opened, name)}
	for line := range bytes.Lines(s.section(content).Data) {
		f.lines = append(f.lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	s.ledger.Open(f.file)
	return f
}

func (s *script) move(from, to string) {
	f := s.file(from)
	delete(s.files, from)
	s.files[to] = f
	f.file.Kind, f.file.Name = transcript.KindOf(to), transcript.NameKey(to)
	s.ledger.Open(f.file)
}

func (s *script) section(name string) *txtar.File {
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		s.Fatalf("missing section %s", name)
	}
	return &s.archive.Files[i]
}

func (s *script) read(name string, n int) {
	f := s.file(name)
	if n < 0 {
		n = len(f.lines) - f.next
	}
	if n == 0 || f.next+n > len(f.lines) {
		s.Fatalf("%s: got %d lines left, want %d", name, len(f.lines)-f.next, n)
	}
	s.ledger.AddBatch(f.batch(n, s.now))
}

// shown reports whether the script compares a family.
func (s *script) shown(f *counters.Family) bool {
	if len(s.only) > 0 {
		return slices.Contains(s.only, f.Name)
	}
	return !slices.Contains([]string{"claude_last_activity_timestamp_seconds", "ccwatchd_lines_total", "ccwatchd_read_bytes_total"}, f.Name) &&
		!strings.HasPrefix(f.Name, "claude_requests_by_") && !strings.HasPrefix(f.Name, "claude_entrypoint_")
}

// see compares the series that are not zero, and releases nothing.
func (s *script) see(section string) {
	s.Helper()
	other := reopened(s, s.ledger)
	releaseAll(other)
	s.compare(section, exposition(other.Snapshot(s.now), s.shown, false))
}

func (s *script) compare(name, got string) {
	s.Helper()
	want := s.section(name)
	if *difftest.Update {
		want.Data = []byte(got)
	}
	if got != string(want.Data) {
		s.Errorf("section %s differs:\n%s", name, difftest.Diff(string(want.Data), got))
	}
}
