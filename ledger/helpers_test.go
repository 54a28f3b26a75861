package ledger

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func testFile(id FileID, name string) File {
	return File{ID: id, Kind: transcript.KindOf(name), Name: transcript.NameKey(name)}
}

// parsed returns n lines of a file, from an index on, as a batch with labels.
func parsed(f File, lines [][]byte, from, n int, now int64) *Batch {
	b := &Batch{File: f.ID, Now: now}
	var buffer transcript.Buffer
	parser := transcript.NewParser()
	for i := from; i < from+n; i++ {
		b.Bytes += uint64(len(lines[i]) + 1)
		before := len(buffer.Entries)
		parser.Parse(lines[i], i == 0, &buffer)
		for j := range buffer.Entries[before:] {
			e := &buffer.Entries[before+j]
			e.AssignKeys(func() transcript.Key {
				return transcript.KeyOf("line", string(f.Name[:]), strconv.Itoa(i), strconv.Itoa(j))
			})
			if e.HasProject = e.CWD != ""; e.HasProject {
				e.Project = path.Base(e.CWD)
			}
			labelAttribution(e)
			if e.Prompt != nil && e.Prompt.IsCommand() {
				e.Command = "custom"
				if slices.Contains([]string{"clear", "compact", "deploy"}, e.Prompt.Name) {
					e.Command = e.Prompt.Name
				}
			}
		}
	}
	b.Entries, b.Problems = buffer.Entries, buffer.Problems
	return b
}

// labelAttribution sets labels as the reader of a file does.
func labelAttribution(e *transcript.Entry) {
	label := func(name string) string {
		if slices.Contains([]string{"", "Explore", "Plan", "general-purpose", "review", "tools"}, name) {
			return name
		}
		return "custom"
	}
	for i := range e.Uses {
		if u := &e.Uses[i]; u.IsSkill() {
			u.Skill = cmp.Or(label(u.SkillName), "custom")
		}
	}
	if a := e.Attribution; a != nil {
		a.AgentType, a.Skill, a.Plugin = label(a.AgentName), label(a.SkillName), label(a.PluginName)
	}
}

// encode returns a saved ledger.
func encode(l *Ledger) []byte {
	c := table.NewWriter(nil)
	l.Code(c)
	return c.Bytes()
}

// decode reads a saved ledger into l.
func decode(l *Ledger, b []byte) error {
	c := table.NewReader(b)
	l.Code(c)
	return c.Done()
}

// reopened saves a ledger and reads it back.
func reopened(t testing.TB, l *Ledger) *Ledger {
	t.Helper()
	return readInto(t, New(*l.opts, 0), l)
}

func readInto(t testing.TB, to, from *Ledger) *Ledger {
	t.Helper()
	if err := decode(to, encode(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// openWith opens a file and adds some lines.
func openWith(l *Ledger, f File, lines ...string) {
	l.Open(f)
	l.AddBatch(batchOf(f, birth, lines...))
}

// newWith returns a ledger with some lines of a file.
func newWith(lines ...string) *Ledger {
	l := New(testOptions(), birth)
	openWith(l, testFile(1, "a.jsonl"), lines...)
	return l
}

func millis(t testing.TB, stamp string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// batchOf returns a batch of some lines of a file, read at the time now.
func batchOf(f File, now int64, lines ...string) *Batch {
	var all [][]byte
	for _, l := range lines {
		all = append(all, []byte(l))
	}
	return parsed(f, all, 0, len(all), now)
}
