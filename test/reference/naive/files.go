package naive

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Read reads the transcripts below a directory, in the order of their paths. It follows
// symbolic links to directories directly below it, except links to itself or above.
// Each directory is read once.
func Read(dir string, now time.Time) (*Tree, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("read transcripts: %w", err)
	}
	linked, err := linkedDirectories(dir, resolved)
	if err != nil {
		return nil, fmt.Errorf("read transcripts: %w", err)
	}
	var sources []Source
	seen := make(set)
	for _, top := range append([]string{dir}, linked...) {
		below, err := sourcesBelow(dir, top, seen)
		if err != nil {
			return nil, fmt.Errorf("read transcripts: %w", err)
		}
		sources = append(sources, below...)
	}
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return NewTree(now, sources...), nil
}

// linkedDirectories returns the links to directories in a directory, in order.
func linkedDirectories(dir, resolved string) (links []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		link := filepath.Join(dir, e.Name())
		target, broken := filepath.EvalSymlinks(link)
		if e.Type() != fs.ModeSymlink || broken != nil {
			continue
		}
		above := strings.TrimSuffix(target, string(filepath.Separator)) + string(filepath.Separator)
		if info, err := os.Stat(target); err == nil && info.IsDir() && !strings.HasPrefix(resolved+string(filepath.Separator), above) {
			links = append(links, link)
		}
	}
	return links, err
}

// sourcesBelow reads the transcripts below a directory, except in directories that were
// seen.
func sourcesBelow(dir, top string, seen set) (sources []Source, err error) {
	slash := string(filepath.Separator) // makes WalkDir follow a link
	err = filepath.WalkDir(top+slash, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			resolved, err := filepath.EvalSymlinks(name)
			if err != nil || seen[resolved] || isNoProject(dir, name) {
				return cmp.Or(err, fs.SkipDir)
			}
			seen[resolved] = true
			return nil
		}
		switch base := e.Name(); {
		case !e.Type().IsRegular() || !strings.HasSuffix(base, ".jsonl") || strings.HasPrefix(base, "._"):
		case base == "journal.jsonl" || base == "history.jsonl" || base == "audit.jsonl":
		default:
			s, err := readSource(dir, name)
			sources = append(sources, s)
			return err
		}
		return nil
	})
	return sources, err
}

// isNoProject reports whether a directory at or below the directory of a tree holds no
// transcripts. All directories directly below it, or below a directory named projects,
// are projects, except directories of file servers.
func isNoProject(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	parent, base := filepath.Split(rel)
	return err == nil && (base == ".AppleDouble" || base == "@eaDir" || (base == "tool-results" || base == "memory") && parent != "" && filepath.Base(parent) != "projects")
}
