package tailer

import (
	"os"
	"path/filepath"
	"testing"
)

// An open file can be renamed and removed.
func TestOpenBlocksNothing(t *testing.T) {
	root := newTree(t)
	f, _, err := Open(root, "a.jsonl")
	noError(t, err)
	defer func() { _ = f.Close() }()
	at := func(name string) string { return filepath.Join(root.Name(), name) }
	noError(t, os.Rename(at("a.jsonl"), at("b.jsonl")))
	noError(t, os.Remove(at("b.jsonl")))
}
