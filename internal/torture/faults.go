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

// usable draws a file that nothing else is being done to and that fits, or nil.
func (t *tree) usable(fits func(*file) bool) *file {
	return t.draw(func(f *file) bool { return !f.probe && !f.hidden && !f.doomed && f.written > 0 && fits(f) })
}

func (t *tree) draw(fits func(*file) bool) *file {
	var all []*file
	for _, f := range t.files {
		if fits(f) {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return pick(t.dice, all)
}

func anyFile(*file) bool { return true }

// truncate cuts a file off, or empties it; what is lost will be written again.
func (t *tree) truncate() (bool, error) {
	f := t.usable(anyFile)
	if f == nil {
		return false, nil
	}
	n := 0
	if f.written > f.from && t.dice.IntN(4) > 0 {
		n = t.dice.IntN(f.written - f.from)
	}
	return true, t.cut(f, n)
}

// cut leaves n bytes of a file.
func (t *tree) cut(f *file, n int) error {
	if err := os.Truncate(t.at(f.name), int64(n)); err != nil {
		return err
	}
	return t.grow(f, f.from+n)
}

// replace puts another file with the same content in the place of one.
func (t *tree) replace() (bool, error) {
	f := t.usable(anyFile)
	if f == nil {
		return false, nil
	}
	return true, t.renew(f)
}

func (t *tree) renew(f *file) error {
	rename, err := t.save(f, ".tmp")
	if err != nil {
		return err
	}
	return rename()
}

// save writes the content of a file to another one, whose name has a suffix. It
// returns what gives that one the name of the file.
func (t *tree) save(f *file, suffix string) (rename func() error, err error) {
	b, err := f.now()
	if err != nil {
		return nil, err
	}
	temporary := t.at(f.name) + suffix
	if err := appendTo(temporary, b); err != nil {
		return nil, err
	}
	return func() error { return os.Rename(temporary, t.at(f.name)) }, nil
}

// move moves a file to another project.
func (t *tree) move() (bool, error) {
	f, err := t.moved()
	return f != nil, err
}

// moveAndRewrite moves a file to another project, where it is at once written again,
// in place or as another file.
func (t *tree) moveAndRewrite() (bool, error) {
	f, err := t.moved()
	switch {
	case f == nil || err != nil:
		return false, err
	case t.dice.IntN(2) == 0:
		return true, t.renew(f)
	}
	n := f.written - f.from
	if err := t.cut(f, 0); err != nil {
		return false, err
	}
	return true, t.write(f, n)
}

// moved moves a file that it draws, and returns it; nil if none can be moved.
func (t *tree) moved() (*file, error) {
	f, other := t.usable(anyFile), t.usable(anyFile)
	if f == nil || other == nil || project(f) == project(other) {
		return nil, nil
	}
	name := project(other) + strings.TrimPrefix(f.name, project(f))
	if t.taken(name) {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(t.at(name)), 0o755); err != nil { //nolint:gosec // all of it is made up
		return nil, err
	}
	if err := os.Rename(t.at(f.name), t.at(name)); err != nil {
		return nil, err
	}
	f.name = name
	return f, nil
}

// taken reports whether a file has a name.
func (t *tree) taken(name string) bool {
	return slices.ContainsFunc(t.files, func(f *file) bool { return f.name == name })
}

func project(f *file) string {
	name, _, _ := strings.Cut(f.name, "/")
	return name
}

// moveProject gives the directory of a project another name.
func (t *tree) moveProject() (bool, error) {
	f := t.usable(anyFile)
	if f == nil {
		return false, nil
	}
	from := project(f)
	of := t.of(from)
	if slices.ContainsFunc(of, func(f *file) bool { return f.hidden || f.doomed }) {
		return false, nil
	}
	t.names++
	to := fmt.Sprintf("%.40s-%d", from, t.names)
	if err := os.Rename(t.at(from), t.at(to)); err != nil {
		return false, err
	}
	for _, f := range of {
		f.name = to + strings.TrimPrefix(f.name, from)
	}
	return true, nil
}

// of returns the files of a project.
func (t *tree) of(dir string) (all []*file) {
	for _, f := range t.files {
		if project(f) == dir {
			all = append(all, f)
		}
	}
	return all
}

// hide makes a file, or the whole directory of a project, unreadable. It returns
// what ends that.
func (t *tree) hide() (func() error, error) {
	f := t.usable(anyFile)
	if f == nil {
		return nil, nil
	}
	name, mode, below := f.name, os.FileMode(0o644), []*file{f}
	if t.dice.IntN(3) == 0 {
		name, mode, below = project(f), 0o755, t.of(project(f))
	}
	if slices.ContainsFunc(below, func(f *file) bool { return f.hidden || f.doomed }) {
		return nil, nil
	}
	turn := func(mode os.FileMode, hidden bool) error {
		for _, f := range below {
			f.hidden = hidden
		}
		return os.Chmod(t.at(name), mode)
	}
	return func() error { return turn(mode, false) }, turn(0, true)
}

// redate sets the time of a file back, by less than would make it quiet, or on.
func (t *tree) redate() (bool, error) {
	f := t.usable(anyFile)
	if f == nil {
		return false, nil
	}
	then := time.Now().Add(time.Duration(t.dice.IntN(7200)-3600) * time.Second)
	return true, os.Chtimes(t.at(f.name), then, then)
}

// manyFiles is how many files are kept. Beyond that more are deleted at a time.
const manyFiles = 400

// doom chooses files to be deleted, of those that are complete. Whoever calls this
// sees to it that the daemon has read them.
func (t *tree) doom() (doomed []*file) {
	for range max(4, len(t.files)-manyFiles) {
		if f := t.draw(func(f *file) bool { return f.content == nil && f.whole && !f.copied && !f.hidden && !f.doomed }); f != nil {
			f.doomed = true
			doomed = append(doomed, f)
		}
	}
	return doomed
}

// remove deletes a file.
func (t *tree) remove(f *file) error {
	t.files = slices.DeleteFunc(t.files, func(g *file) bool { return g == f })
	t.gone = append(t.gone, f)
	return os.Remove(t.at(f.name))
}

// recreate deletes everything, waits, and brings all of it back.
func (t *tree) recreate(wait func()) error {
	if err := os.RemoveAll(t.root); err != nil {
		return err
	}
	wait()
	return t.restore(t.files)
}

// restore writes files as they were.
func (t *tree) restore(files []*file) error {
	for _, f := range files {
		b, err := f.now()
		if err != nil {
			return err
		}
		if err := appendTo(t.at(f.name), b); err != nil {
			return err
		}
	}
	return nil
}

// flood makes more events than the kernel keeps for whoever does not read them.
func (t *tree) flood() error {
	const queue = 16384
	f := t.usable(anyFile)
	if f == nil {
		return nil
	}
	name := path.Join(project(f), "flood.tmp")
	for range queue/2 + 100 {
		if err := errors.Join(appendTo(t.at(name), nil), os.Remove(t.at(name))); err != nil {
			return err
		}
	}
	return nil
}
