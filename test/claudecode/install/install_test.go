package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// npm is a program in the place of npm, which installs what $FILES lists.
const fakeNPM = `#!/bin/sh
echo "$@" >>"$LOG"
[ "$1" = view ] && { echo 2.1.332; exit; }
[ "$NPM_FAILS" ] && { echo wrong >&2; exit 1; }
while [ "$1" != --prefix ]; do shift; done
for file in $FILES; do mkdir -p "$2/node_modules/$(dirname $file)" && : >"$2/node_modules/$file"; done
`

func setup(t *testing.T, files string) (dir, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("without a shell")
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(fakeNPM), 0o700); err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(bin, "log")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("LOG", log)
	t.Setenv("FILES", files)
	return filepath.Join(t.TempDir(), "cache"), log
}

func TestVersion(t *testing.T) {
	const modules = "node_modules/@anthropic-ai/"
	for _, test := range []struct {
		files string
		want  []string
	}{
		{
			"@anthropic-ai/claude-code-linux-x64/claude @anthropic-ai/claude-code-linux-x64-musl/claude @anthropic-ai/claude-code/cli.js @img/a",
			[]string{modules + "claude-code-linux-x64/claude"},
		},
		{"@anthropic-ai/claude-code/cli.js", []string{"node", "--no-warnings", modules + "claude-code/cli.js"}},
		{"@anthropic-ai/claude-code/cli.mjs", []string{"node", "--no-warnings", modules + "claude-code/cli.mjs"}},
	} {
		dir, log := setup(t, test.files)
		for range 2 { // the second time it is there
			at, program, err := Version(t.Context(), dir, version.MustParse("2.1.300"))
			if err != nil || !slices.Equal(program, test.want) || at != filepath.Join(dir, "2.1.300") {
				t.Errorf("%s: got %s %v, %v", test.files, at, program, err)
			}
			if _, err := os.Stat(filepath.Join(at, "node_modules/@img")); err == nil {
				t.Errorf("%s: nothing was removed", test.files)
			}
		}
		arguments, err := os.ReadFile(log)
		const want = "install --ignore-scripts --no-audit --no-fund --prefix "
		if err != nil || string(arguments[:len(want)]) != want || slices.Index(arguments, '\n') != len(arguments)-1 {
			t.Errorf("%s: npm was called with %s, %v", test.files, arguments, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "2.1.300", test.want[0])); test.want[0] != "node" && (err != nil || info.Mode()&0o100 == 0) {
			t.Errorf("%s: not executable: %v, %v", test.files, info, err)
		}
	}
}

func TestVersionFails(t *testing.T) {
	dir, _ := setup(t, "other/file")
	if _, _, err := Version(t.Context(), dir, version.MustParse("2.1.300")); err == nil {
		t.Error("without a program: got no error")
	}
	t.Setenv("NPM_FAILS", "1")
	if _, _, err := Version(t.Context(), dir, version.MustParse("2.1.300")); err == nil {
		t.Error("npm fails: got no error")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	t.Setenv("PATH", "")
	if _, _, err := Version(t.Context(), dir, version.MustParse("2.1.300")); !errors.Is(err, ErrNoNPM) {
		t.Errorf("without npm: got %v", err)
	}
}

func TestNewest(t *testing.T) {
	setup(t, "")
	if v, err := Newest(t.Context()); err != nil || v.String() != "2.1.332" {
		t.Errorf("got %v, %v", v, err)
	}
}
