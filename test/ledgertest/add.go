package ledgertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Add counts the lines of a session as read at the time now. Each call is another file,
// whose source adds the given labels.
func Add(l *ledger.Ledger, id ledger.FileID, source map[string]string, content string, now time.Time) {
	parser := transcript.NewParser()
	b := ledger.Batch{File: id, Now: now.UnixMilli(), Bytes: uint64(len(content))}
	for line := range strings.Lines(content) {
		var buffer transcript.Buffer
		parser.Parse([]byte(strings.TrimSpace(line)), true, &buffer)
		for j := range buffer.Entries {
			e := &buffer.Entries[j]
			e.AssignKeys(func() transcript.Key { return transcript.KeyOf(fmt.Sprint(id, len(b.Entries), j)) })
			if e.CWD != "" {
				e.Project, e.HasProject = transcripttest.Labeller{}.Project(e.CWD), true
			}
			b.Entries = append(b.Entries, *e)
		}
	}
	l.Open(ledger.File{
		ID: id, Kind: transcript.KindOf("s.jsonl"), Name: transcript.KeyOf(fmt.Sprint(id)),
		Source: counters.NewSourceLabels(source),
	})
	l.AddBatch(&b)
	l.Settle()
}
