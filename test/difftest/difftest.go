// Package difftest prints what differs in a test, briefly, and compares outputs with
// golden files.
package difftest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is set by -update: tests write their golden files.
var Update = flag.Bool("update", false, "write the golden files")

// The size of a printed difference: lines, and bytes of a line.
const (
	maxLines = 40
	maxLine  = 300
)

// Diff returns the first 40 lines of the differences between two values: "-" marks
// missing parts of got, "+" additional parts. It is empty if they are equal.
// Texts are compared by lines.
func Diff(want, got any) string {
	if a, ok := want.(string); ok && strings.Contains(a, "\n") {
		if b, ok := got.(string); ok {
			want, got = strings.Split(a, "\n"), strings.Split(b, "\n")
		}
	}
	all := cmp.Exporter(func(reflect.Type) bool { return true })
	return Head(cmp.Diff(want, got, all))
}

// Head returns the first 40 lines of a text, and how many follow. It shortens long
// lines.
func Head(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxLines {
			continue
		}
		if len(line) > maxLine {
			line = fmt.Sprintf("%s… (%d more bytes)\n", line[:maxLine], len(line)-maxLine)
		}
		b.WriteString(line)
	}
	if n > maxLines {
		fmt.Fprintf(&b, "… (%d more lines)\n", n-maxLines)
	}
	return b.String()
}

// Golden compares a text with a file, or writes the file with -update.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if d := Diff(string(want), got); d != "" {
		t.Errorf("%s is out of date; if that is intended, run the test with -update:\n%s", filepath.ToSlash(path), d)
	}
}
