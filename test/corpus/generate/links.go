package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// addLinks moves a project out of the tree and links to it twice. It adds links that
// must not be followed. Windows needs a privilege for links, so it has none.
func addLinks(dir string) error {
	projects := filepath.Join(dir, "projects")
	all, err := os.ReadDir(projects)
	if err != nil || runtime.GOOS == "windows" {
		return err
	}
	name, synchronized := all[0].Name(), filepath.Join(dir, "synchronized")
	err = os.Mkdir(synchronized, 0o750)
	if err == nil {
		err = os.Rename(filepath.Join(projects, name), filepath.Join(synchronized, name))
	}
	for link, target := range map[string]string{
		name: "../synchronized/" + name, name + "-again": name,
		"-home-dev-moved": "../nowhere", "linked.jsonl": name + "/history.jsonl",
	} {
		err = errors.Join(err, os.Symlink(target, filepath.Join(projects, link)))
	}
	return err
}
