package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/claudecode/api"
)

// A Line is a line of a transcript.
type Line struct {
	File string // below the root
	Kind string // its type and subtype
	Data map[string]any
}

// Projects are where versions write transcripts, below a home directory.
var Projects = []string{".claude/projects", ".config/claude/projects"}

// Lines reads all transcripts below directories, which can be missing, of a root.
func Lines(root string, dirs ...string) (all []Line, err error) {
	for _, dir := range dirs {
		err := fs.WalkDir(os.DirFS(root), dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".jsonl" {
				return ignoreMissing(err)
			}
			lines, err := read(root, path)
			all = append(all, lines...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read transcripts: %w", err)
		}
	}
	return all, nil
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

func read(root, path string) (all []Line, err error) {
	file, err := os.Open(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	for reader := bufio.NewReader(file); ; {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			all = append(all, parse(path, line))
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, err
		}
	}
}

func parse(path string, line []byte) Line {
	l := Line{File: path, Kind: "broken"}
	if json.Unmarshal(line, &l.Data) == nil {
		l.Kind = kind(l.Data)
	}
	return l
}

// kind returns the type of a line and, after a slash, its subtype.
func kind(data map[string]any) string {
	subtype := data["subtype"]
	if attachment, ok := data["attachment"].(map[string]any); ok {
		subtype = attachment["type"]
	}
	if progress, ok := data["data"].(map[string]any); ok && data["type"] == "progress" {
		subtype = progress["type"]
	}
	if subtype == nil {
		return fmt.Sprint(data["type"])
	}
	return fmt.Sprint(data["type"], "/", subtype)
}

// A statement is the record of an answer on a line.
type statement struct {
	id, requestID string
	tokens        api.Tokens
	sidechain     bool
}

// statements returns the records of answers of the API on lines.
func statements(lines []Line) (all []statement) {
	for _, l := range lines {
		message, ok := l.Data["message"].(map[string]any)
		if l.Kind != "assistant" || !ok || message["model"] == "<synthetic>" {
			continue
		}
		usage, _ := message["usage"].(map[string]any)
		s := statement{tokens: api.TokensOf(usage)}
		s.id, _ = message["id"].(string)
		s.requestID, _ = l.Data["requestId"].(string)
		s.sidechain, _ = l.Data["isSidechain"].(bool)
		s.sidechain = s.sidechain || strings.Contains(filepath.Base(l.File), "agent-")
		all = append(all, s)
	}
	return all
}
