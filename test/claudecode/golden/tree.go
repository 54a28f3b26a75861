package golden

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tree masks the transcripts of one directory into another, which must not exist.
func (m *Masker) Tree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isTranscript(path) {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // of a run that ended
		if err != nil {
			return fmt.Errorf("read a transcript: %w", err)
		}
		masked, err := m.file(text)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name = filepath.Join(to, m.replaceIDs(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // for everybody
			return fmt.Errorf("write a transcript: %w", err)
		}
		return os.WriteFile(name, masked, 0o644) //nolint:gosec // for everybody
	})
}

func isTranscript(path string) bool {
	return strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".meta.json")
}

func (m *Masker) file(text []byte) ([]byte, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		masked, err := m.Line(bytes.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		out.Write(masked)
		if bytes.HasSuffix(line, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}
