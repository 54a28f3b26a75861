package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// TestMistakes freezes the answers to typical mistakes. testdata/mistakes.txt lists
// files, each followed by the lines of the error, which begin with "=> ". "hush" is a
// secret that no answer may contain.
func TestMistakes(t *testing.T) {
	name := filepath.Join("testdata", "mistakes.txt")
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		file := &archive.Files[i]
		text, want, _ := strings.Cut(strings.ReplaceAll(string(file.Data), "\r\n", "\n"), "=> ")
		t.Run(file.Name, func(t *testing.T) {
			dir := realTempDir(t)
			path := filepath.Join(dir, "ccwatchd.yml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := Load(path, environ(dir))
			got := strings.ReplaceAll(message(err, dir), "DIR/ccwatchd.yml", "ccwatchd.yml")
			file.Data = []byte(text + "=> " + strings.ReplaceAll(got, "\n", "\n=> ") + "\n")
			if want = strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n=> ", "\n"); got != want && !*difftest.Update {
				t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
			}
			if strings.Contains(got, "hush") {
				t.Error("the error contains the secret")
			}
			if err == nil || c != nil {
				t.Error("the file is accepted")
			}
		})
	}
	if *difftest.Update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
