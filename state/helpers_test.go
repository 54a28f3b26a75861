package state

import (
	"encoding/binary"
	"path"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// testTime is the time of every change in these tests, in milliseconds.
const testTime = 1_790_000_000_000

// batchOf returns the batch of some lines.
func batchOf(id ledger.FileID, lines []string) ledger.Batch {
	var p transcript.Buffer
	parser := transcript.NewParser()
	b := ledger.Batch{File: id, Now: testTime}
	for _, line := range lines {
		b.Bytes += uint64(len(line))
		parser.Parse([]byte(strings.TrimSuffix(line, "\n")), false, &p)
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		e.AssignKeys(func() transcript.Key {
			return transcript.KeyOf("line", string(binary.AppendUvarint(nil, uint64(id))), strconv.Itoa(i))
		})
		if e.HasProject = e.CWD != ""; e.HasProject {
			e.Project = path.Base(e.CWD)
		}
		if e.Prompt != nil && e.Prompt.IsCommand() {
			e.Command = "custom"
			if e.Prompt.Name == "clear" {
				e.Command = e.Prompt.Name
			}
		}
	}
	b.Entries, b.Problems = p.Entries, p.Problems
	return b
}
