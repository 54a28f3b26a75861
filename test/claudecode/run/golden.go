package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"

	"github.com/ccwatchd/ccwatchd/test/claudecode"
	"github.com/ccwatchd/ccwatchd/test/claudecode/golden"
	"github.com/ccwatchd/ccwatchd/test/claudecode/play"
	"github.com/ccwatchd/ccwatchd/test/exposition"
)

// writeGolden writes the masked transcripts of the scenarios that have them, with the
// served answers.
func (s *session) writeGolden(ctx context.Context, results []result) error {
	for _, r := range results {
		if r.Scenario.Golden {
			if err := s.mask(ctx, r); err != nil {
				return fmt.Errorf("golden transcripts of %s: %w", r.Scenario.Name, err)
			}
		}
	}
	return nil
}

func (s *session) mask(ctx context.Context, r result) error {
	text, err := fs.ReadFile(claudecode.Scenarios(), r.Scenario.Name+".yaml")
	if err != nil {
		return err
	}
	dir := filepath.Join(s.golden, r.Scenario.Name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	m, err := golden.NewMasker(string(text))
	if err != nil {
		return err
	}
	projects := filepath.Join(dir, "projects")
	if err := m.Tree(filepath.Join(r.dir, "home/.claude/projects"), projects); err != nil {
		return err
	}
	served, err := os.ReadFile(filepath.Join(r.dir, play.ServedFile))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, play.ServedFile), served, 0o644); err != nil { //nolint:gosec // for everybody
		return err
	}
	return s.reportChanges(ctx, r, projects)
}

// sizes are families that depend on the length of texts.
var sizes = regexp.MustCompile(`_(bytes|characters)(_|$)`)

// reportChanges reports counts that masking changes: no count may depend on a masked
// text.
func (s *session) reportChanges(ctx context.Context, r result, projects string) error {
	projects, err := filepath.Abs(projects)
	if err != nil {
		return err
	}
	masked, _, err := s.once(ctx, r.dir, projects)
	if err != nil {
		return err
	}
	want, got := play.Counts(r.Counted), play.Counts(masked)
	for _, counts := range []map[string]float64{want, got} {
		maps.DeleteFunc(counts, func(series string, _ float64) bool { return sizes.MatchString(series) })
	}
	for _, d := range exposition.Diff(want, got, nil) {
		_, _ = fmt.Fprintf(s.progress, "claudecode: masked texts of %s: %v\n", r.Scenario.Name, d)
	}
	return nil
}
