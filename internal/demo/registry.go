package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// register writes which session a writer is writing, as Claude Code registers its
// processes. The process is this one, since it must exist.
func (w *writer) register() error {
	if len(w.lines) == 0 {
		return nil
	}
	dir := filepath.Join(w.home, "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("register a session: %w", err)
	}
	text := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"startedAt":%d,"status":"busy"}`, os.Getpid(), w.session(), w.due().UnixMilli())
	if err := os.WriteFile(filepath.Join(dir, w.name+".json"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("register a session: %w", err)
	}
	return nil
}

// session returns the id of the current session: the name of its transcript.
func (w *writer) session() string {
	parts := strings.Split(w.lines[0].Path, "/")
	return strings.TrimSuffix(parts[min(2, len(parts)-1)], ".jsonl") // projects/PROJECT/SESSION
}
