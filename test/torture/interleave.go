package torture

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// mergeSessions merges the files of two generated sessions, as if two processes had
// written one file, which happens when a session is resumed twice.
func (t *tree) mergeSessions(dir string) error {
	sessions, err := sessionsIn(dir)
	if err != nil || len(sessions) < 2 {
		return err
	}
	t.rng.Shuffle(len(sessions), func(i, j int) { sessions[i], sessions[j] = sessions[j], sessions[i] })
	a, err := os.ReadFile(sessions[0])
	if err != nil {
		return err
	}
	b, err := os.ReadFile(sessions[1])
	if err != nil {
		return err
	}
	if related(a, b) {
		return nil // consecutive equal operations of one session would count as several
	}
	if !bytes.HasSuffix(a, []byte("\n")) || !bytes.HasSuffix(b, []byte("\n")) {
		return nil // processes do not continue unterminated lines
	}
	if err := os.WriteFile(sessions[0], t.interleave(a, b), 0o600); err != nil {
		return err
	}
	return os.Remove(sessions[1])
}

var sessionIDs = regexp.MustCompile(`"sessionId":"[0-9a-f-]{36}"`)

// related reports whether two files have lines of the same session.
func related(a, b []byte) bool {
	ids := make(map[string]bool)
	for _, id := range sessionIDs.FindAll(a, -1) {
		ids[string(id)] = true
	}
	return slices.ContainsFunc(sessionIDs.FindAll(b, -1), func(id []byte) bool { return ids[string(id)] })
}

// sessionsIn returns the session files below a directory.
func sessionsIn(dir string) (all []string, err error) {
	err = walkFiles(dir, func(rel, name string) error {
		if isTranscript(rel) && transcript.KindOf(rel) == transcript.Main {
			all = append(all, name)
		}
		return nil
	})
	return all, err
}

// walkFiles calls do for every file below a directory, with its relative and its whole
// path.
func walkFiles(dir string, do func(rel, name string) error) error {
	return fs.WalkDir(os.DirFS(dir), ".", func(rel string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return do(rel, filepath.Join(dir, filepath.FromSlash(rel)))
	})
}

// interleave merges the lines of two files in a random order. It keeps the lines of a
// message together, and consecutive queue operations, since their position
// distinguishes equal operations.
func (t *tree) interleave(a, b []byte) []byte {
	sides := [2][][]byte{slices.Collect(bytes.Lines(a)), slices.Collect(bytes.Lines(bytes.TrimPrefix(b, bom)))}
	merged := make([]byte, 0, len(a)+len(b))
	side, open := 0, false
	for len(sides[0])+len(sides[1]) > 0 {
		if len(sides[side]) == 0 || !open && len(sides[1-side]) > 0 && t.rng.IntN(3) == 0 && len(merged) > 0 {
			side, open = 1-side, false
		}
		line := sides[side][0]
		sides[side] = sides[side][1:]
		merged = append(merged, line...)
		open = isOpen(line, open)
		for isQueueOperation(line) && len(sides[side]) > 0 && isQueueOperation(sides[side][0]) {
			merged = append(merged, sides[side][0]...)
			sides[side] = sides[side][1:]
		}
	}
	return merged
}

func isQueueOperation(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"type":"queue-operation"`))
}

var bom = []byte("\ufeff")

// isOpen reports whether more lines of a message may follow this line. open is the
// result for the line before it. A line outside of messages, such as a tool result or a
// partial line, does not change the result.
func isOpen(line []byte, open bool) bool {
	var entry struct {
		Type    string
		Message struct {
			StopReason *string `json:"stop_reason"`
		}
	}
	err := json.Unmarshal(bytes.TrimPrefix(line, bom), &entry)
	if err != nil || entry.Type != "assistant" {
		return open
	}
	return entry.Message.StopReason == nil
}
