package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/internal/reference"
	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// truthFile holds the true totals of a corpus, as the generator writes it.
const truthFile = "expected.tsv"

// A corpus is what all programs read.
type corpus struct {
	projects string   // the directory with the session files
	files    []string // their paths, sorted
	lines    int64
	size     int64   // bytes
	truth    *tokens // nil where nobody knows it
}

// dir is the configuration directory of Claude Code that it would be.
func (c *corpus) dir() string { return filepath.Dir(c.projects) }

// list is the files as xargs -0 reads them.
func (c *corpus) list() io.Reader {
	var list bytes.Buffer
	for _, name := range c.files {
		list.WriteString(name)
		list.WriteByte(0)
	}
	return &list
}

// readCorpus finds the session files below dir/projects, and their true totals
// in the file for them if there is one. Directories that cannot be read are an
// error, since not all programs would agree on what to do about them.
func readCorpus(ctx context.Context, dir string) (*corpus, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the corpus: %w", err)
	}
	c := &corpus{projects: filepath.Join(dir, "projects")}
	found, errs := watcher.Walk(ctx, watcher.Options{
		Roots:   []string{c.projects},
		Match:   transcript.IsTranscript,
		SkipDir: transcript.SkipDir,
	})
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("list the corpus: %w", err)
	}
	buffer := make([]byte, 256<<10)
	for _, f := range found {
		name := filepath.Join(c.projects, f.Rel)
		size, lines, err := count(name, buffer)
		if err != nil {
			return nil, fmt.Errorf("count the corpus: %w", err)
		}
		c.files = append(c.files, name)
		c.size += size
		c.lines += lines
	}
	if c.size == 0 {
		return nil, fmt.Errorf("there are no sessions below %s", c.projects)
	}
	c.truth, err = readTruth(filepath.Join(dir, truthFile))
	return c, err
}

// count returns the bytes of a file, and how many of them end a line.
func count(name string, buffer []byte) (size, lines int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = f.Close() }()
	for {
		n, err := f.Read(buffer)
		size += int64(n)
		lines += int64(bytes.Count(buffer[:n], []byte{'\n'}))
		if err == io.EOF {
			return size, lines, nil
		}
		if err != nil {
			return 0, 0, err
		}
	}
}

// readTruth returns nil where there is no such file.
func readTruth(name string) (*tokens, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the true totals: %w", err)
	}
	defer func() { _ = f.Close() }()
	totals, err := reference.Expected(f)
	if err != nil {
		return nil, fmt.Errorf("read the true totals: %w", err)
	}
	t := messageTokens(totals)
	return &t, nil
}
