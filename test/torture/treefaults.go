package torture

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pickUsable picks a file at random that fits and is not part of another fault, or
// returns nil.
func (t *tree) pickUsable(fits func(*file) bool) *file {
	return t.pickFile(func(f *file) bool { return !f.probe && !f.hidden && !f.deleting && f.written > 0 && fits(f) })
}

func (t *tree) pickFile(fits func(*file) bool) *file {
	var all []*file
	for _, f := range t.files {
		if fits(f) {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return pick(t.rng, all)
}

func anyFile(*file) bool { return true }

// onAny returns a fault of any usable file.
func onAny(inject func(*tree, *file) error) func(*tree) (bool, error) {
	return func(t *tree) (bool, error) {
		f := t.pickUsable(anyFile)
		if f == nil {
			return false, nil
		}
		return true, inject(t, f)
	}
}

// truncate truncates a file, sometimes to nothing. The lost part will be written again.
func (t *tree) truncate(f *file) error {
	n := 0
	if f.written > f.dropped && t.rng.IntN(4) > 0 {
		n = t.rng.IntN(f.written - f.dropped)
	}
	return t.cut(f, n)
}

// cut truncates a file to n bytes.
func (t *tree) cut(f *file, n int) error {
	if err := os.Truncate(t.abs(f.name), int64(n)); err != nil {
		return err
	}
	return t.rewriteFrom(f, f.dropped+n)
}

// replace replaces a file by another one with the same content.
func (t *tree) replace(f *file) error {
	rename, err := t.save(f, ".tmp")
	if err != nil {
		return err
	}
	return rename()
}

// save writes the content of a file to another one, with a suffix in its name. The
// returned function renames that to the file.
func (t *tree) save(f *file, suffix string) (rename func() error, err error) {
	b, err := f.current()
	if err != nil {
		return nil, err
	}
	temporary := t.abs(f.name) + suffix
	if err := appendTo(temporary, b); err != nil {
		return nil, err
	}
	return func() error { return os.Rename(temporary, t.abs(f.name)) }, nil
}

// move moves a file to another project.
func (t *tree) move() (bool, error) {
	f, err := t.moveAny()
	return f != nil, err
}

// moveAndRewrite moves a file to another project and rewrites it at once, in place or
// as another file.
func (t *tree) moveAndRewrite() (bool, error) {
	f, err := t.moveAny()
	switch {
	case f == nil || err != nil:
		return false, err
	case t.rng.IntN(2) == 0:
		return true, t.replace(f)
	}
	n := f.written - f.dropped
	if err := t.cut(f, 0); err != nil {
		return false, err
	}
	return true, t.write(f, n)
}

// moveAny moves a file to another project and returns it, nil if none can be moved.
func (t *tree) moveAny() (*file, error) {
	f, other := t.pickUsable(anyFile), t.pickUsable(anyFile)
	if f == nil || other == nil || project(f) == project(other) {
		return nil, nil
	}
	name := project(other) + strings.TrimPrefix(f.name, project(f))
	if t.taken(name) {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(t.abs(name)), 0o755); err != nil { //nolint:gosec // synthetic
		return nil, err
	}
	if err := os.Rename(t.abs(f.name), t.abs(name)); err != nil {
		return nil, err
	}
	f.name = name
	return f, nil
}

func (t *tree) taken(name string) bool {
	return slices.ContainsFunc(t.files, func(f *file) bool { return f.name == name })
}

func project(f *file) string {
	name, _, _ := strings.Cut(f.name, "/")
	return name
}

// moveProject renames the directory of a project.
func (t *tree) moveProject() (bool, error) {
	f := t.pickUsable(anyFile)
	if f == nil {
		return false, nil
	}
	from := project(f)
	files := t.filesOf(from)
	if slices.ContainsFunc(files, func(f *file) bool { return f.hidden || f.deleting }) {
		return false, nil
	}
	t.names++
	to := fmt.Sprintf("%.40s-%d", from, t.names)
	if err := os.Rename(t.abs(from), t.abs(to)); err != nil {
		return false, err
	}
	for _, f := range files {
		f.name = to + strings.TrimPrefix(f.name, from)
	}
	return true, nil
}

// filesOf returns the files of a project.
func (t *tree) filesOf(dir string) (all []*file) {
	for _, f := range t.files {
		if project(f) == dir {
			all = append(all, f)
		}
	}
	return all
}

// hide makes a file or the directory of a project unreadable. The returned function
// reverts that.
func (t *tree) hide() (func() error, error) {
	f := t.pickUsable(anyFile)
	if f == nil {
		return nil, nil
	}
	name, mode, below := f.name, os.FileMode(0o644), []*file{f}
	if t.rng.IntN(3) == 0 {
		name, mode, below = project(f), 0o755, t.filesOf(project(f))
	}
	if slices.ContainsFunc(below, func(f *file) bool { return f.hidden || f.deleting }) {
		return nil, nil
	}
	set := func(mode os.FileMode, hidden bool) error {
		for _, f := range below {
			f.hidden = hidden
		}
		return os.Chmod(t.abs(name), mode)
	}
	return func() error { return set(mode, false) }, set(0, true)
}

// touch changes the modification time of a file by up to an hour, less than would make
// it idle.
func (t *tree) touch(f *file) error {
	then := time.Now().Add(time.Duration(t.rng.IntN(7200)-3600) * time.Second)
	return os.Chtimes(t.abs(f.name), then, then)
}

// maxFiles is the number of files above which more are deleted at a time.
const maxFiles = 400

// chooseDeletions picks complete files to delete. The caller must ensure that the
// daemon has read them.
func (t *tree) chooseDeletions() (chosen []*file) {
	for range max(4, len(t.files)-maxFiles) {
		if f := t.pickFile(func(f *file) bool { return f.content == nil && f.terminated && !f.copied && !f.hidden && !f.deleting }); f != nil {
			f.deleting = true
			chosen = append(chosen, f)
		}
	}
	return chosen
}

func (t *tree) remove(f *file) error {
	t.files = slices.DeleteFunc(t.files, func(g *file) bool { return g == f })
	t.deleted = append(t.deleted, f)
	return os.Remove(t.abs(f.name))
}

// recreate deletes all files, waits, and writes them again.
func (t *tree) recreate(wait func()) error {
	if err := os.RemoveAll(t.root); err != nil {
		return err
	}
	wait()
	return t.restore(t.files)
}

// restore writes files with their current content.
func (t *tree) restore(files []*file) error {
	for _, f := range files {
		b, err := f.current()
		if err != nil {
			return err
		}
		if err := appendTo(t.abs(f.name), b); err != nil {
			return err
		}
	}
	return nil
}

// overflowEvents causes more file events than the kernel queues.
func (t *tree) overflowEvents(f *file) error {
	const queue = 16384
	name := t.abs(path.Join(project(f), "overflow.tmp"))
	for range queue/2 + 100 {
		if err := errors.Join(appendTo(name, nil), os.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}
