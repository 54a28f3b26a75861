package naive

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/test/reference/entries"
)

// A Tree is everything below a directory, read at the time Now.
type Tree struct {
	Files []*File // sorted by path
	Now   float64 // in seconds since the epoch
}

// A File is a transcript.
type File struct {
	Path    string // below the directory, with slashes
	Dir     string // of the file, as given to os.Open
	Entries []Entry
}

// An Entry is an entry as encoding/json decodes it, with numbers as [json.Number].
type Entry map[string]any

// Read reads the transcripts below a directory.
func Read(dir string, now float64) (*Tree, error) {
	paths, err := entries.Transcripts(dir)
	if err != nil {
		return nil, err
	}
	tree := &Tree{Now: now}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		f := &File{Path: filepath.ToSlash(below), Dir: filepath.Dir(path)}
		for _, o := range entries.Objects(content) {
			f.Entries = append(f.Entries, decode(o))
		}
		tree.Files = append(tree.Files, f)
	}
	return tree, nil
}

func decode(o entries.Object) Entry {
	e := make(Entry, len(o))
	for name, raw := range o {
		e[name] = entries.Decode(raw)
	}
	return e
}

// At returns the value of a member of a member, and so on, nil if there is none.
func (e Entry) At(names ...string) any { return member(map[string]any(e), names...) }

// Text is At for a string, "" for any other value.
func (e Entry) Text(names ...string) string {
	s, _ := e.At(names...).(string)
	return s
}

// Number is At for a number, 0 for any other value.
func (e Entry) Number(names ...string) float64 { return number(e.At(names...)) }

// Objects is At for a list, of which it returns the objects.
func (e Entry) Objects(names ...string) []Entry { return objects(e.At(names...)) }

func member(v any, names ...string) any {
	for _, name := range names {
		o, _ := v.(map[string]any)
		v = o[name]
	}
	return v
}

func number(v any) float64 {
	n, _ := v.(json.Number)
	f, _ := n.Float64()
	return f
}

func objects(v any) (all []Entry) {
	list, _ := v.([]any)
	for _, item := range list {
		if o, ok := item.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}
