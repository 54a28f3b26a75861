package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

// register writes which session a writer is writing.
func (w *writer) register() error {
	if len(w.lines) == 0 {
		return nil
	}
	return Register(w.home, w.name, Session(w.lines), w.due())
}

// Register writes which session a process runs, as Claude Code registers its processes.
// The process is this one, since it must exist.
func Register(home, process, session string, started time.Time) error {
	dir := filepath.Join(home, "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("register a session: %w", err)
	}
	text := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"startedAt":%d,"status":"busy"}`, os.Getpid(), session, started.UnixMilli())
	if err := os.WriteFile(filepath.Join(dir, process+".json"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("register a session: %w", err)
	}
	return nil
}

// Session returns the id of the session with these lines, at least one: the name of its
// transcript.
func Session(lines []corpus.Line) string {
	parts := strings.Split(lines[0].Path, "/")
	return strings.TrimSuffix(parts[min(2, len(parts)-1)], ".jsonl") // projects/PROJECT/SESSION
}
