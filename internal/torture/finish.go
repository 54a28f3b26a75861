package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/reference"
)

// finish ends what is under way, writes all that is left, and compares.
func (r *run) finish(ctx context.Context) error {
	if err := r.overtake(ctx); err != nil {
		return err
	}
	if err := r.tree.finish(); err != nil {
		return err
	}
	if err := r.seen(ctx); err != nil {
		return err
	}
	if _, err := r.reconfigure(ctx, r.settings(soon)); err != nil {
		return err
	}
	if err := r.await(ctx, "the totals are the true ones", r.untrue); err != nil {
		return err
	}
	// What was deleted or dropped comes back, and nothing of it is counted again.
	if err := r.tree.bringBack(); err != nil {
		return err
	}
	if err := r.seen(ctx); err != nil {
		return err
	}
	<-time.After(5 * time.Second) // what is quiet by now would be counted
	if err := r.untrue(); err != nil {
		r.judge.condemn("all files are back: %w", err)
	}
	return errors.Join(r.compareOnce(ctx), r.discreet())
}

// untrue returns the first total that is not the true one.
func (r *run) untrue() error {
	_, text := r.judge.latest()
	shown, err := reference.ParseExposition(strings.NewReader(text))
	if err != nil {
		return err
	}
	return difference(r.tree.truth, r.tree.allow(shown))
}

func difference(want, got reference.Totals) error {
	all := reference.Diff(want, counted(got), reference.Options{})
	if len(all) == 0 {
		return nil
	}
	return fmt.Errorf("%v (and %d more differences)", all[0], len(all)-1)
}

// compareOnce compares everything, label by label, with one reading of the
// files as they were meant to be, and the totals with one of those that there are.
func (r *run) compareOnce(ctx context.Context) error {
	for _, dir := range []string{r.tree.store, r.tree.root} {
		text, err := r.place.once(ctx, dir, attributes(false))
		if err != nil {
			return err
		}
		shown, err := reference.ParseExposition(strings.NewReader(text))
		if err != nil {
			return err
		}
		if err := difference(r.tree.truth, shown); err != nil {
			r.judge.condemn("one reading of all files at rest (%s): %w", filepath.Base(dir), err)
		}
		x, err := decode(strings.NewReader(text), plainText)
		if err != nil {
			return err
		}
		last, _ := r.judge.latest()
		if err := unequal(r.tree.comparable(x.kept), r.tree.comparable(last.kept)); err != nil {
			r.judge.condemn("by label, against one reading of all files at rest (%s): %w", filepath.Base(dir), err)
		}
	}
	return nil
}

// unequal returns the first number of what was seen of Claude Code that is other
// than it should be. Whose message it was, and how it ended, goes by the copy of
// it that was read first, so those labels are added up.
func unequal(want, got numbers) error {
	want, got = want.added(), got.added()
	for _, series := range slices.Sorted(maps.Keys(want)) {
		if got[series] != want[series] {
			return fmt.Errorf("%s: want %v, got %v", series, want[series], got[series])
		}
	}
	for _, series := range slices.Sorted(maps.Keys(got)) {
		if _, there := want[series]; !there && got[series] != 0 {
			return fmt.Errorf("%s: want nothing, got %v", series, got[series])
		}
	}
	return nil
}

// discreet looks for texts of conversations in the state.
func (r *run) discreet() error {
	entries, err := os.ReadDir(r.place.state())
	if err != nil {
		return err
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(r.place.state(), e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was only there for a moment
		case err != nil:
			return err
		case bytes.Contains(b, []byte(marker)):
			r.judge.condemn("the state holds what is private: %s", e.Name())
		}
	}
	return nil
}
