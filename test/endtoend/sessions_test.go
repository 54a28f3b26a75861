//go:build endtoend

package endtoend

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// sessions are the transcripts of some users.
type sessions struct {
	dir    string
	all    string // a directory with copies of all transcripts; none is deleted
	author *corpus.Writer
	hidden transcripttest.Tree // deleted transcripts
}

func newSessions(t *testing.T) *sessions {
	t.Helper()
	const projects = 6
	return &sessions{dir: t.TempDir(), all: t.TempDir(), author: corpus.NewWriter(1, projects, time.Now().Add(-begun), 1)}
}

// begun is how long ago the last sessions began. A session ends after a day without
// lines, so no session ends while a test runs.
const begun = 12 * time.Hour

// write writes sessions that began before the last sessions, with everything that is
// counted.
func (s *sessions) write(t *testing.T, ago time.Duration) {
	t.Helper()
	const people = 5
	for _, lines := range s.author.Showcase(people, time.Now().Add(-begun-ago)) {
		for _, line := range lines {
			for _, dir := range []string{s.dir, s.all} {
				transcripttest.Dir{TB: t, Root: dir}.Append(line.Path, string(line.Text))
			}
		}
	}
}

func (s *sessions) hideHalf(t *testing.T) {
	t.Helper()
	s.hidden = transcripttest.ReadTree(t, s.dir)
	for i, name := range s.hidden.Names() {
		if i%2 > 0 {
			delete(s.hidden, name)
		} else if err := os.Remove(filepath.Join(s.dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.hidden) == 0 {
		t.Fatal("there are no transcripts to delete")
	}
}

// restore writes the deleted transcripts again, as from a backup, and returns their
// size.
func (s *sessions) restore(t *testing.T) (size int) {
	t.Helper()
	for name, content := range s.hidden {
		transcripttest.Dir{TB: t, Root: s.dir}.Append(name, content)
		size += len(content)
	}
	return size
}
