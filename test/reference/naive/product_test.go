package naive_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
)

// ccwatchd exposes for the fixtures what the rules expect.
func TestFixtures(t *testing.T) {
	const fixtures = "../../../testdata/fixtures"
	ccwatchd := filepath.Join(t.TempDir(), "ccwatchd.exe")
	if err := gobuild.Build(t.Context(), gobuild.Ccwatchd, ccwatchd); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	for _, fixture := range all {
		t.Run(fixture.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(fixtures, fixture.Name())
			tree, err := naive.Read(dir, float64(time.Now().UnixMilli())/1000)
			if err != nil {
				t.Fatal(err)
			}
			text, err := exec.Command(ccwatchd, "once", dir).Output()
			if err != nil {
				t.Fatal(err)
			}
			got, err := exposition.ParseText(string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range naive.Expected(tree, naive.Rules()).Diff(naive.Rules(), got) {
				t.Error(d)
			}
		})
	}
}
