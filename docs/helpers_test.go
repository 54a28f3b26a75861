// Package docs_test checks the documents of the repository and generates the
// picture of design/architecture.md.
package docs_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
)

// root is the repository.
var root = os.DirFS("..")

// eachFile calls f with the slash-separated name and the text of every file of
// the repository with one of the extensions. It skips test data and untracked
// directories.
func eachFile(t *testing.T, extensions []string, f func(name, text string)) {
	t.Helper()
	skipped := []string{".git", "dist", "node_modules", "testdata"}
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains(skipped, e.Name()):
			return fs.SkipDir
		case e.IsDir() || !slices.Contains(extensions, path.Ext(name)):
			return nil
		}
		f(name, read(t, name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
