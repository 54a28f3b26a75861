package cost_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// ccwatchd counts the costs of generated transcripts to the nano-dollar.
func TestProduct(t *testing.T) {
	ccwatchd := build(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tree := transcripttest.Generate(seed, transcripttest.Options{Copies: seed%2 == 0, Size: 6})
			vary(tree, seed).Write(t, dir)
			want, err := reference.ReadCosts(dir, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if n := want.NonZero(); n < 40 {
				t.Errorf("got only %d costs", n)
			}
			for _, d := range reference.Diff(want, exposed(t, ccwatchd, dir), reference.Options{}) {
				t.Error(d)
			}
		})
	}
}

func build(t *testing.T) string {
	t.Helper()
	ccwatchd := filepath.Join(t.TempDir(), "ccwatchd.exe")
	if err := gobuild.Build(t.Context(), gobuild.Ccwatchd, ccwatchd); err != nil {
		t.Fatal(err)
	}
	return ccwatchd
}

// exposed returns the costs that ccwatchd exposes.
func exposed(t *testing.T, ccwatchd, dir string) reference.Totals {
	t.Helper()
	exposition, err := exec.Command(ccwatchd, "once", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	totals, err := reference.ParseExposition(bytes.NewReader(exposition))
	if err != nil {
		t.Fatal(err)
	}
	return totals.Costs()
}
