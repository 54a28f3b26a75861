package opendir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is the number of links in a path, as in Linux.
const maxLinks = 40

const separator = string(filepath.Separator)

// A resolver opens the elements of a path one by one.
type resolver struct {
	check
	dirs     []*Dir // open, each in the one before it
	todo     []string
	links    []link // with targets not reached yet, the innermost last
	followed int
}

// A link is a symbolic link that is being followed.
type link struct {
	owner uint32
	rest  int // length of todo when its target is reached
	// hidden reports that its target is in a directory that its owner cannot search.
	hidden bool
}

// resolve opens the directory at a path relative to base. It closes base, or returns
// it.
func (c check) resolve(base *Dir, rel string) (*Dir, error) {
	r := &resolver{check: c, dirs: []*Dir{base}, todo: strings.Split(rel, separator)}
	defer r.close()
	for len(r.todo) > 0 {
		if err := r.step(); err != nil {
			return nil, r.visible(err)
		}
	}
	return r.pop(), nil
}

func (r *resolver) top() *Dir { return r.dirs[len(r.dirs)-1] }

func (r *resolver) pop() *Dir {
	top := r.top()
	r.dirs = r.dirs[:len(r.dirs)-1]
	return top
}

func (r *resolver) close() {
	for _, d := range r.dirs {
		_ = d.Close()
	}
	r.dirs = nil
}

// step resolves the next element, and checks the links whose targets that completes.
func (r *resolver) step() error {
	name := r.todo[0]
	r.todo = r.todo[1:]
	err := r.resolve(name)
	for n := len(r.links) - 1; err == nil && n >= 0 && len(r.todo) <= r.links[n].rest; n-- {
		if owner := r.links[n].owner; owner != 0 && owner != r.owner(r.top().Info) {
			return ErrOwner
		}
		r.links = r.links[:n]
	}
	return err
}

func (r *resolver) resolve(name string) error {
	switch name {
	case "", ".":
		return nil
	case "..":
		return r.up()
	}
	info, err := r.top().Lstat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return r.enter(name, info)
	case info.Mode().Type() == fs.ModeSymlink:
		return r.follow(name)
	}
	return syscall.ENOTDIR
}

// enter opens a directory, unless it has been replaced since it was seen.
func (r *resolver) enter(name string, seen fs.FileInfo) error {
	dir, err := r.top().OpenRoot(name + separator + ".") // does not block on a FIFO
	if err != nil {
		return err
	}
	opened, err := dir.Stat(".")
	if err == nil && !os.SameFile(seen, opened) {
		err = errReplaced
	}
	if err != nil {
		_ = dir.Close()
		return err
	}
	r.dirs = append(r.dirs, &Dir{dir, filepath.Join(r.top().Real, name), seen})
	for i := range r.links {
		l := &r.links[i]
		l.hidden = l.hidden || l.owner != 0 && l.owner != r.owner(seen) && seen.Mode()&0o001 == 0
	}
	return nil
}

// follow replaces a link by its target.
func (r *resolver) follow(name string) error {
	target, info, err := readLink(r.top().Root, name)
	if err != nil {
		return err
	}
	if r.followed++; r.followed > maxLinks {
		return syscall.ELOOP
	}
	r.links = append(r.links, link{owner: r.owner(info), rest: len(r.todo)})
	r.todo = append(strings.Split(target, separator), r.todo...)
	if filepath.IsAbs(target) {
		return r.restart()
	}
	return nil
}

// up continues in the parent directory.
func (r *resolver) up() error {
	if len(r.dirs) > 1 {
		return r.pop().Close()
	}
	parent := filepath.Dir(r.top().Real)
	r.todo = append(strings.Split(parent, separator), r.todo...)
	return r.restart()
}

// restart continues at the root of the file system.
func (r *resolver) restart() error {
	root, err := openTrusted(separator)
	if err != nil {
		return err
	}
	r.close()
	r.dirs = []*Dir{root}
	return nil
}

// visible returns ErrOwner in place of an error that reveals something to the owner of
// a link.
func (r *resolver) visible(err error) error {
	for _, l := range r.links {
		if l.hidden {
			return ErrOwner
		}
	}
	return err
}
