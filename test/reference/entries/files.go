package entries

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Transcripts returns the transcripts below a directory, sorted by path. It does not
// follow symbolic links.
func Transcripts(dir string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := e.Name(); {
		case e.IsDir() && path != dir && (name == "tool-results" || name == "memory"):
			return fs.SkipDir
		case e.Type().IsRegular() && isTranscript(name):
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list transcripts: %w", err)
	}
	slices.Sort(all)
	return all, nil
}

// isTranscript excludes the run journal of workflows and the recall of prompts.
func isTranscript(name string) bool {
	return strings.HasSuffix(name, ".jsonl") && name != "journal.jsonl" && name != "history.jsonl"
}
