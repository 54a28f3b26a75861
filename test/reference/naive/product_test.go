package naive_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

const fixtures = "../../../testdata/fixtures"

// ccwatchd exposes the totals of the rules, for the fixtures and for generated
// transcripts, whose models, sizes and times are varied so that all prices apply.
func TestProduct(t *testing.T) {
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
			compare(t, ccwatchd, filepath.Join(fixtures, fixture.Name()))
		})
	}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			short, costs := seed%4 > 1, 40
			if short { // all messages of a message id have one model
				costs = 15
			}
			vary(transcripttest.Generate(seed, transcripttest.Options{Copies: seed%2 == 0, Size: 6, ShortIDs: short}), seed).Write(t, dir)
			if n := compare(t, ccwatchd, dir).NonZero(naive.CostFamilies()); n < costs {
				t.Errorf("got only %d costs", n)
			}
		})
	}
}

// Directories behind links directly below the directory are read once each, and other
// links are not followed.
func TestProductFollowsLinks(t *testing.T) {
	ccwatchd := filepath.Join(t.TempDir(), "ccwatchd.exe")
	if err := gobuild.Build(t.Context(), gobuild.Ccwatchd, ccwatchd); err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	dir, elsewhere := filepath.Join(top, "projects"), filepath.Join(top, "elsewhere")
	for seed, at := range []string{filepath.Join(dir, "p"), filepath.Join(elsewhere, "-home-dev-shop"), filepath.Join(elsewhere, "more", "inner"), filepath.Join(elsewhere, "deep")} {
		transcripttest.Generate(uint64(seed), transcripttest.Options{Size: 3}).Write(t, at)
	}
	alone := compare(t, ccwatchd, dir)
	for _, l := range [][2]string{
		{"../elsewhere/-home-dev-shop", "-home-dev-shop"},
		{"-home-dev-shop", "-home-other-path"},
		{filepath.Join(elsewhere, "more"), "outer"}, {"../elsewhere/more/inner", "inner"},
		{"p", "same"}, {"..", "above"}, {".", "itself"}, {"loop", "loop"}, {"none", "dangling"},
		{"../../elsewhere/deep", "p/nested"}, {"../elsewhere/deep", "memory"},
	} {
		if err := os.Symlink(l[0], filepath.Join(dir, l[1])); err != nil {
			t.Skip(err)
		}
	}
	linked := compare(t, ccwatchd, dir)
	if a, b := alone.NonZero(naive.Families()), linked.NonZero(naive.Families()); a >= b {
		t.Errorf("got %d series with links, want more than %d", b, a)
	}
	before, err := naive.Read(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	audit := []byte(transcripttest.Replies("audit", 3))
	if err := os.WriteFile(filepath.Join(dir, "p", "audit.jsonl"), audit, 0o600); err != nil {
		t.Fatal(err)
	}
	compare(t, ccwatchd, dir)
	after, err := naive.Read(dir, time.Now())
	if err != nil || len(after.Files) != len(before.Files) {
		t.Errorf("got %d transcripts beside audit.jsonl, %v, want %d", len(after.Files), err, len(before.Files))
	}
}

// Of many projects, the projects with the most tokens are exposed by name.
func TestManyProjects(t *testing.T) {
	ccwatchd := filepath.Join(t.TempDir(), "ccwatchd.exe")
	if err := gobuild.Build(t.Context(), gobuild.Ccwatchd, ccwatchd); err != nil {
		t.Fatal(err)
	}
	tree := make(transcripttest.Tree)
	for i := range 130 {
		name := fmt.Sprint("p", i)
		s := transcripttest.Session{ID: name, CWD: "/home/dev/" + name, Start: time.Date(2026, 3, 1, i*7%24, i*11%60, 0, 0, time.UTC)}
		s.Prompt(name).Reply(transcripttest.Reply{ID: name, Model: "claude-opus-4-6", In: 1 << (i % 30), Out: i, Stop: "end_turn"})
		tree["-home-dev-"+name+"/s.jsonl"] = s.String()
	}
	dir := t.TempDir()
	tree.Write(t, dir)
	projects := make(map[model.LabelValue]bool)
	for _, s := range compare(t, ccwatchd, dir) {
		projects[s.Labels["project"]] = true
	}
	if !projects["other"] || len(projects) < 60 || len(projects) > 62 {
		t.Errorf("got %d projects", len(projects))
	}
}

// compare compares a directory and returns the expected totals.
func compare(t *testing.T, ccwatchd, dir string) naive.Totals {
	t.Helper()
	tree, err := naive.Read(dir, time.Now())
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
	want := naive.Expected(tree)
	if d := reference.DiffSeries(want, got, naive.Families()).Text(); d != "" {
		t.Errorf("%s: series differ:\n%s", dir, difftest.Head(d))
	}
	return want
}

// The second implementation shares no code with the program, so that they do not share
// mistakes.
func TestImports(t *testing.T) {
	text, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.FieldsSeq(string(text)) {
		if strings.HasPrefix(pkg, "github.com/ccwatchd/") && !strings.HasSuffix(pkg, "/test/reference/naive") {
			t.Errorf("imports %s", pkg)
		}
	}
}
