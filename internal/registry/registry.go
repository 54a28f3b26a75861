// Package registry reads which sessions of Claude Code are running, from the files that
// Claude Code keeps of its processes: sessions/PID.json in its directory.
//
// The content of these files is not trusted, and their format is not documented. Read
// reads few and small files, follows no links, and never blocks on a FIFO. A file that
// is not as expected is skipped.
package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/tailer"
)

const (
	maxFiles  = 256      // of processes
	maxNames  = 4096     // entries of the directory that are listed
	maxSize   = 64 << 10 // of a file, in bytes
	maxID     = 128      // bytes of a session id
	directory = "sessions"
)

// A Session is a session whose process exists.
type Session struct {
	ID      string
	Started time.Time // of the process; zero if not stated
	// Working reports that its process is at work, or waits for a permission.
	Working bool
}

// Dir returns the directory that belongs to a directory of transcripts. ok is false if
// it does not belong to Claude Code.
func Dir(projects string) (config string, ok bool) {
	return filepath.Dir(projects), filepath.Base(projects) == "projects"
}

// Read returns the running sessions of a directory of Claude Code. A session with
// several processes is returned once for each. Without a registry the error is
// fs.ErrNotExist. Links in base, the leading part of the path, are followed without the
// check of package opendir.
func Read(base, config string) ([]Session, error) { return read(base, config, thisHost()) }

func read(base, config string, h host) ([]Session, error) {
	root, err := openRegistry(base, config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	names, err := namesIn(root)
	var all []Session
	for _, name := range names {
		if p, ok := readProcess(root, name); ok && h.runs(&p) {
			all = append(all, p.session())
		}
	}
	return all, err
}

// openRegistry opens the directory, which must not be a link.
func openRegistry(base, config string) (*os.Root, error) {
	root, err := opendir.Open(base, config)
	if err != nil {
		return nil, fmt.Errorf("open registry: %w", err)
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(directory)
	if err == nil && !info.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("open registry: %w", err)
	}
	return root.OpenRoot(directory + "/.") // does not block on a FIFO
}

// namesIn returns the names of regular files in order: up to maxFiles of the first
// maxNames entries that the system lists, in whatever order.
func namesIn(root *os.Root) (names []string, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list registry: %w", err)
	}
	defer func() { _ = dir.Close() }()
	entries, err := dir.ReadDir(maxNames)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names[:min(maxFiles, len(names))], err
}

// A process is a file of the registry, which describes a process of Claude Code.
type process struct {
	PID       int    `json:"pid"`
	SessionID string `json:"sessionId"`
	StartedAt int64  `json:"startedAt"` // milliseconds since the epoch
	Status    string `json:"status"`

	// These identify the process, see host.
	Domain    string `json:"pidDomain"`
	ProcStart string `json:"procStart"`
	FileTime  string `json:"procStartFt"` // procStart on Windows
}

func (p *process) session() Session {
	s := Session{ID: p.SessionID, Working: p.Status == "busy" || p.Status == "waiting"}
	if p.StartedAt > 0 {
		s.Started = time.UnixMilli(p.StartedAt)
	}
	return s
}

// readProcess reads a file. ok is false if it does not describe the process of a
// session.
func readProcess(root *os.Root, name string) (p process, ok bool) {
	f, _, err := tailer.Open(root, name)
	if err != nil {
		return p, false
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil || len(b) > maxSize || json.Unmarshal(b, &p) != nil {
		return p, false
	}
	return p, p.PID > 0 && p.SessionID != "" && len(p.SessionID) <= maxID
}
